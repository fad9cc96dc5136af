#include "sim/faults/recovery.h"

#include <algorithm>
#include <set>
#include <vector>

#include "sim/faults/registry.h"
#include "sim/faults/settings.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {
namespace {

constexpr Duration kMargin = Duration::seconds(1);

// What the faults break, by the bounds of either part.
std::set<Assumption> broken_by_faults(const Scenario& scenario) {
  std::set<Assumption> broken;
  if (scenario.faults.empty()) return broken;
  const Bounds bounds[] = {bounds_of(scenario, Part::elector), bounds_of(scenario, Part::scheduler)};
  for (const FaultSetting& fault : scenario.faults) {
    const FaultKind* kind = find_fault_kind(fault.action);
    if (kind == nullptr || !has_magnitude(fault)) continue;
    for (const Bounds& of_part : bounds)
      for (const Assumption assumption : kind->breaks(fault, scenario, of_part)) broken.insert(assumption);
  }
  return broken;
}

// When the store's clock and a leader's part at the end of the fault phase, whichever of the two is to blame, firing
// stops for the hold; and at either end of it, it takes a reading of the clock to know.
bool holds(const Scenario& scenario, const std::set<Assumption>& broken) {
  using enum Assumption;
  return scheduling_duration(scenario, "clock_hold") > Duration{} &&
         (broken.contains(no_store_step) || broken.contains(rate_bound) || broken.contains(no_mono_freeze));
}

bool may_be_paused(const Scenario& scenario) {
  const auto paused = [](const auto& setting) { return setting.definition.paused; };
  return std::any_of(scenario.schedules.begin(), scenario.schedules.end(), paused) ||
         std::any_of(scenario.changes.begin(), scenario.changes.end(), [&](const ChangeSetting& change) {
           return paused(change) || change.action == ChangeAction::pause;
         });
}

// A design's durations are known by no name: any of them may delay it, unless it says so.
Duration design_recovery(const Scenario& scenario) {
  const bool one_program = scenario.scheduler->design == scenario.protocol->design;
  return one_program ? Duration{} : durations_of(scenario.scheduling).sum + kMargin;
}

// A leader that has just come to lead reads what is due, and may have to ask twice. What a client asked for, and an end
// of a hold, it finds at its next poll; slots that nobody waits for are recorded later still.
Duration scheduling_recovery(const Scenario& scenario, const std::set<Assumption>& broken) {
  if (scenario.scheduler != nullptr && scenario.scheduler->places_items)
    return durations_of(scenario.scheduling).sum + kMargin;
  if (scenario.scheduler == nullptr || (scenario.schedules.empty() && scenario.changes.empty())) return {};
  if (scenario.scheduler->design != nullptr) return design_recovery(scenario);
  Duration sum = scheduling_duration(scenario, "tick_period") +
                 scheduling_duration(scenario, "request_timeout") +
                 scheduling_duration(scenario, "retry_period");
  const bool hold = holds(scenario, broken);
  if (hold || !scenario.changes.empty()) sum += scheduling_duration(scenario, "poll_period");
  if (hold) sum += scheduling_duration(scenario, "clock_hold") + kMargin;
  if (may_be_paused(scenario)) sum += scenario.scheduler->paused_step;
  return sum;
}

// A leader that could do nothing steps aside for as long as it had tried, while others try; afterwards it asks for the
// lease, which nobody has by then.
Duration stepping_aside(const Scenario& scenario, const std::set<Assumption>& broken) {
  if (scenario.scheduler == nullptr) return {};
  const Duration stall = scheduling_duration(scenario, scenario.scheduler->timing.stall_timeout);
  if (stall == Duration{} || stall >= scenario.duration || !broken.contains(Assumption::prompt_store))
    return {};
  Duration asking;
  for (const InstanceSetting& instance : scenario.instances) {
    Duration one;
    for (const char* name : {"retry_jitter", "request_timeout"})
      if (instance.election.find(name) >= 0) one += instance.election.duration(name);
    asking = std::max(asking, one);
  }
  return stall + asking + kMargin;
}

// Where the store may have lost commits, a lease that it has is counted once more before somebody else is granted it.
Duration adoption(const Scenario& scenario, const std::set<Assumption>& broken) {
  Duration longest;
  if (!broken.contains(Assumption::no_lost_commits)) return longest;
  for (const InstanceSetting& instance : scenario.instances)
    if (instance.election.find("lease_duration") >= 0)
      longest = std::max(longest, instance.election.duration("lease_duration"));
  return longest;
}

// Whoever was down at the heal starts up again. An only instance that exits is started again after its back-off.
Duration starting_up(const Scenario& scenario) {
  const ProgramSetting& program = scenario.work.program;
  const bool nobody_else = program.exits_on_loss && scenario.instances.size() == 1;
  return program.startup + (nobody_else ? program.longest_backoff : Duration{});
}

// What faults had got hold of may be under way for this long after them. Several of them slow down one request, but
// only those that are at work at once. Strikes of one fault do not add up, not in a plan either, where each is a fault
// of its own.
Duration lingering(const Scenario& scenario) {
  struct Turn {
    Duration at;
    Duration by;  // less than nothing: a fault is over
  };
  std::vector<Turn> turns;
  for (const FaultSetting& fault : scenario.faults) {
    const FaultKind* kind = find_fault_kind(fault.action);
    if (kind == nullptr || kind->lingers == nullptr) continue;
    const Duration by = kind->lingers(fault);
    const Range<Duration> at_work = may_be_at_work(fault);
    turns.push_back({at_work.low, by});
    turns.push_back({at_work.high, -by});
  }
  // Where one ends as another one begins, both count.
  std::sort(turns.begin(), turns.end(), [](const Turn& one, const Turn& other) {
    return one.at != other.at ? one.at < other.at : one.by > other.by;
  });
  Duration now;
  Duration most;
  for (const Turn& turn : turns) most = std::max(most, now += turn.by);
  return most;
}

}  // namespace

Duration recovery(const Scenario& scenario) {
  Duration quickest = Duration::max();
  Duration longest;
  for (const InstanceSetting& instance : scenario.instances) {
    const Durations durations = durations_of(instance.election);
    quickest = std::min(quickest, durations.sum);
    longest = std::max(longest, durations.longest);
  }
  for (const FaultSetting& fault : scenario.faults)
    if (fault.with_election) quickest = std::max(quickest, durations_of(*fault.with_election).sum);
  const std::set<Assumption> broken = broken_by_faults(scenario);
  return std::max({quickest + kMargin, longest, stepping_aside(scenario, broken)}) +
         adoption(scenario, broken) + scheduling_recovery(scenario, broken) + lingering(scenario) +
         starting_up(scenario);
}

}  // namespace tenure::sim
