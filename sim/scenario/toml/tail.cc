// How long a tail the protocol needs, to elect and to catch up after the heal.

#include "sim/scenario/toml/tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "sim/faults/registry.h"
#include "sim/scenario/toml/build.h"
#include "sim/scenario/toml/units.h"

namespace tenure::sim {
namespace {

constexpr Duration kMargin = Duration::seconds(1);

struct Durations {
  Duration sum;
  Duration longest;
};

Durations durations_of(const Parameters& parameters) {
  Durations durations;
  const std::span<const ParameterSpec> specs = parameters.specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].type != ParameterSpec::Type::duration) continue;
    const Duration value = Duration::nanos(parameters.value(static_cast<int>(i)));
    durations.sum += value;
    durations.longest = std::max(durations.longest, value);
  }
  return durations;
}

bool faults_break(const Scenario& scenario, std::initializer_list<Assumption> assumptions) {
  return std::any_of(scenario.faults.begin(), scenario.faults.end(), [&](const FaultSetting& fault) {
    const FaultKind* kind = find_fault_kind(fault.action);
    if (kind == nullptr) return false;
    const std::vector<Assumption> broken = kind->breaks(fault, scenario);
    return std::any_of(broken.begin(), broken.end(), [&](Assumption assumption) {
      return std::find(assumptions.begin(), assumptions.end(), assumption) != assumptions.end();
    });
  });
}

// When the store's clock and a leader's part at the end of the fault phase, whichever of the two is to blame, firing
// stops for the hold; and at either end of it, it takes a reading of the clock to know.
Duration hold_after_alarm(const Scenario& scenario) {
  using enum Assumption;
  if (scenario.scheduler == nullptr || scenario.scheduling.find("clock_hold") < 0) return {};
  if (!faults_break(scenario, {no_store_step, rate_bound, no_mono_freeze})) return {};
  return scenario.scheduling.duration("clock_hold") + scenario.scheduling.duration("poll_period") +
         scenario.scheduling.duration("request_timeout") + scenario.scheduling.duration("retry_period") +
         kMargin;
}

// Where the store may have lost commits, a lease that it has is counted once more before somebody else is granted it.
Duration adoption(const Scenario& scenario) {
  Duration longest;
  if (!faults_break(scenario, {Assumption::no_lost_commits})) return longest;
  for (const InstanceSetting& instance : scenario.instances)
    if (instance.election.find("lease_duration") >= 0)
      longest = std::max(longest, instance.election.duration("lease_duration"));
  return longest;
}

// What faults had got hold of may be under way for this long after the heal: several of them slow down one request.
Duration lingering(const Scenario& scenario) {
  Duration sum;
  for (const FaultSetting& fault : scenario.faults) {
    const FaultKind* kind = find_fault_kind(fault.action);
    if (kind != nullptr && kind->lingers != nullptr) sum += kind->lingers(fault);
  }
  return sum;
}

}  // namespace

Duration needed_tail(const Scenario& scenario) {
  Duration quickest = Duration::max();
  Duration longest;
  for (const InstanceSetting& instance : scenario.instances) {
    const Durations durations = durations_of(instance.election);
    quickest = std::min(quickest, durations.sum);
    longest = std::max(longest, durations.longest);
  }
  for (const FaultSetting& fault : scenario.faults)
    if (fault.with_election) quickest = std::max(quickest, durations_of(*fault.with_election).sum);
  return std::max(quickest + kMargin, longest) + adoption(scenario) + hold_after_alarm(scenario) +
         lingering(scenario);
}

void judge_tail(Build& build) {
  if (!build.duration_known || !build.cluster_known || !build.parameters_known || !build.faults_known) return;
  const Duration needed = needed_tail(build.scenario);
  if (build.scenario.tail >= needed) return;
  build.diagnostics.add(build.tail_place,
                        fmt::format("a tail of {} is too short for {} to elect again",
                                    print_duration(build.scenario.tail), build.scenario.protocol->name),
                        fmt::format("these settings need {}", print_duration(needed)));
}

}  // namespace tenure::sim
