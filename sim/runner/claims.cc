#include "sim/runner/claims.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "sim/faults/registry.h"

namespace tenure::sim {
namespace {

std::int64_t worst(const Range<std::int64_t>& rate) {
  return std::max(std::abs(rate.low), std::abs(rate.high));
}
bool is_zero(const ClockSetting& clock) {
  return clock.offset == Range<Duration>{} && clock.rate_ppm == Range<std::int64_t>{};
}

void clocks_break(const Scenario& scenario, std::vector<Broken>& broken) {
  std::int64_t bound = INT64_MAX;
  bool has_bound = false;
  for (const InstanceSetting& instance : scenario.instances) {
    const int parameter = instance.election.find("max_clock_drift_ppm");
    if (parameter < 0) continue;
    has_bound = true;
    bound = std::min(bound, instance.election.value(parameter));
  }
  const auto judge = [&](const ClockSetting& clock, const std::string& by, bool is_store) {
    if (!is_zero(clock)) broken.push_back({.assumption = Assumption::wall_in_step, .by = by});
    if (worst(clock.rate_ppm) != 0 && !is_store)
      broken.push_back({.assumption = Assumption::rates_equal, .by = by});
    if (has_bound && worst(clock.rate_ppm) > bound)
      broken.push_back({.assumption = Assumption::rate_bound, .by = by});
  };
  for (const InstanceSetting& instance : scenario.instances)
    judge(instance.clock, "a clock in [cluster] or [[instance]]", false);
  judge(scenario.store.clock, "the clock in [store]", true);
}

void latencies_break(const Scenario& scenario, std::vector<Broken>& broken) {
  if (scenario.network.loss_ppm > 0)
    broken.push_back({.assumption = Assumption::reliable_network, .by = "loss in [network]"});
  for (const InstanceSetting& instance : scenario.instances) {
    const int timeout = instance.election.find("request_timeout");
    if (timeout < 0) continue;
    const Duration slowest = scenario.store.latency.max() + scenario.network.latency.max() * 2;
    if (slowest >= Duration::nanos(instance.election.value(timeout))) {
      broken.push_back({.assumption = Assumption::prompt_store, .by = "latency in [store] and [network]"});
      return;
    }
  }
}

Envelope hold(const std::vector<Claim>& claims, std::string_view invariant, const std::vector<Broken>& broken,
              TrueTime at) {
  const auto claim =
      std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.invariant == invariant; });
  if (claim == claims.end()) return {};
  for (const Assumption assumption : claim->assumptions) {
    const auto found = std::find_if(broken.begin(), broken.end(), [&](const Broken& b) {
      return b.assumption == assumption && b.since <= at;
    });
    if (found == broken.end()) continue;
    return {true, false, "assumes " + std::string(name_of(assumption)) + ", which " + found->by + " breaks"};
  }
  return {true, true, {}};
}

}  // namespace

std::vector<Broken> broken_assumptions(const Scenario& scenario, const std::vector<FaultSetting>& plan,
                                       const std::vector<FaultRun>& ran) {
  std::vector<Broken> broken;
  clocks_break(scenario, broken);
  latencies_break(scenario, broken);
  for (const FaultRun& run : ran) {
    if (!run.skipped.empty()) continue;
    const auto fault =
        std::find_if(plan.begin(), plan.end(), [&](const FaultSetting& f) { return f.id == run.id; });
    const FaultKind* kind = fault != plan.end() ? find_fault_kind(fault->action) : nullptr;
    if (kind == nullptr) continue;
    for (const Assumption assumption : kind->breaks(*fault, scenario))
      broken.push_back({assumption, "fault " + fault->action, run.at});
  }
  return broken;
}

Envelope envelope_of(std::string_view invariant, const Scenario& scenario, const std::vector<Broken>& broken,
                     TrueTime at) {
  const Envelope protocol = hold(scenario.protocol->claims(), invariant, broken, at);
  const Envelope scheduler =
      scenario.scheduler != nullptr ? hold(scenario.scheduler->claims(), invariant, broken, at) : Envelope{};
  if (!protocol.claimed && !scheduler.claimed) return {false, false, "no claim is made"};
  if (protocol.claimed && !protocol.inside) return protocol;
  if (scheduler.claimed && !scheduler.inside) return scheduler;
  return {true, true, {}};
}

}  // namespace tenure::sim
