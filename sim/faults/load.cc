#include "sim/faults/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/int128.h"
#include "core/model/describe.h"
#include "core/scheduler/scheduler_kind.h"
#include "sim/faults/commit_pace.h"
#include "sim/faults/effective_definitions.h"
#include "sim/faults/settings.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kMillionthsASecond = kMillion * 1'000'000'000;  // of one in a nanosecond

// With one decimal: people read it.
std::string rate_text(std::int64_t millionths_a_second) {
  const std::int64_t tenths = millionths_a_second / 100'000;
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

// How often the work of a fire begins, in the mean, in millionths: what fails is begun again, up to `work_attempts`
// times.
std::int64_t attempts_of_an_event(const Scenario& scenario) {
  constexpr std::int64_t kAttempts = 1000;  // more of them come to nothing, or to no end
  std::int64_t again = kMillion;            // of a million events so many get so far
  std::int64_t all = 0;
  for (std::int64_t i = std::min(scenario.scheduling.number("work_attempts"), kAttempts); i > 0 && again > 0;
       --i) {
    all += again;
    again = mul_div_floor(again, scenario.work.failing_ppm, kMillion);
  }
  return all;
}

// ---- what schedules ask for --------------------------------------------------------------------------------

struct Rated {
  EffectiveDefinition effective;
  Duration gap;           // the least
  std::int64_t rate = 0;  // millionths of a slot a second, in the mean
};

std::vector<Rated> rates_of(const Scenario& scenario) {
  std::vector<Rated> all;
  for (const EffectiveDefinition& effective : effective_definitions(scenario)) {
    const Duration gap = least_gap(effective);
    if (gap == Duration::max()) continue;
    const std::int64_t slots = count_slots(*effective.definition, effective.from, effective.to);
    all.push_back({effective, gap,
                   mul_div_floor(slots, kMillionthsASecond,
                                 std::max(effective.to - effective.from, Duration::nanos(1)).ns())});
  }
  return all;
}

// A load that lasts is a matter of means: what comes in a burst is done in the time after it. So this is the most that
// the mean is from any change to the end of the run.
std::int64_t lasting_rate(const std::vector<Rated>& all, const Scenario& scenario) {
  const StoreTime start = StoreTime::from_ns(scenario.start_ns);
  const StoreTime end = start + scenario.duration + scenario.tail;
  std::map<StoreTime, std::int64_t> changes{{start, 0}};
  for (const Rated& one : all) {
    changes[one.effective.from] += one.rate;
    changes[one.effective.to] -= one.rate;
  }
  std::int64_t rate = 0;  // from here to the next change
  std::int64_t most = 0;
  int128 slots = 0;  // from here to the end, in millionths, and nanoseconds for seconds
  StoreTime next = end;
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const auto& [at, by] = *change;
    if (at < end) {
      slots += int128{rate} * (next - at).ns();
      most = std::max(most, static_cast<std::int64_t>(slots / (end - at).ns()));
      next = at;
    }
    rate -= by;
  }
  return most;
}

// How many schedules come due within that time, of those that are there at the end.
struct DueWithin {
  const std::vector<Rated>& all;
  StoreTime end;

  static std::int64_t count(const void* self, Duration within) {
    const auto& [all, end] = *static_cast<const DueWithin*>(self);
    std::int64_t due = 0;  // in millionths
    for (const Rated& one : all)
      if (one.effective.to == end)
        due += std::min(mul_div_floor(one.rate, within.ns(), Duration::seconds(1).ns()), kMillion);
    return (due + kMillion - 1) / kMillion;
  }
};

// ---- what the store and the workers can do ------------------------------------------------------------------

using Reasons = std::vector<std::string>;

void see_store(const Scenario& scenario, Duration way, Reasons& why) {
  const Duration request = scenario.store.latency.mean();
  const Duration timeout = scenario.scheduling.duration("request_timeout");
  if (way + request > timeout)
    why.push_back(fmt::format(
        "this store answers after {} in the mean, and request_timeout is {}: the scheduler waits for "
        "most of its answers in vain",
        describe(way + request), describe(timeout)));
  if (const std::int64_t places = scenario.store.concurrent + scenario.store.queue;
      most_requests(scenario) > places)
    why.push_back(fmt::format(
        "the store has places for {} requests, and {} instances may have {} there at one time: it "
        "refuses the others (capacity in [store])",
        places, scenario.instances.size(), most_requests(scenario)));
  // Each instance has one poll at the store at a time.
  if (const Duration apart = std::max(scenario.scheduling.duration("poll_period"), way + request);
      apart > Duration{} &&
      request * static_cast<std::int64_t>(scenario.instances.size()) >= apart * scenario.store.concurrent)
    why.push_back(
        fmt::format("the store executes {} requests at a time, each in {} in the mean, and the polls of {} "
                    "instances, every {}, "
                    "leave no room for others (capacity in [store], poll_period)",
                    scenario.store.concurrent, describe(request), scenario.instances.size(),
                    describe(scenario.scheduling.duration("poll_period"))));
}

void see_pace(const Scenario& scenario, const CommitPace& pace, std::int64_t slots, Reasons& why) {
  // Its work leaves before the next request.
  const Duration full = pace.apart + scenario.departure.mean() * pace.rows;
  const std::int64_t rows = mul_div_floor(pace.rows, kMillionthsASecond, full.ns());
  if (slots > rows)
    why.push_back(
        fmt::format("the schedules have {} slots a second, and this store takes {} rows a second (at most "
                    "{} in a commit, and a commit every {}): slots come late, or are left out",
                    rate_text(slots), rate_text(rows), pace.rows, describe(full)));
  // A worker is taken from the commit of a row to the end of its work. If that is work for the most part, what is due
  // is seen to wait for workers, as is meant: it is not late (caught-up).
  const Duration once = scenario.work.duration.mean();
  const std::int64_t attempts = attempts_of_an_event(scenario);
  const Duration work = Duration::nanos(mul_div_floor(once.ns(), attempts, kMillion));
  const std::int64_t begun = mul_div_floor(pace.workers, kMillionthsASecond, (pace.apart + work).ns());
  if (slots > begun && slots <= rows && work < pace.apart * 2)
    why.push_back(
        fmt::format("the schedules have {} slots a second, and there are workers for {} (max_running {}, "
                    "work takes {}, and a commit comes every {}): slots come late, or are left out",
                    rate_text(slots), rate_text(begun), pace.workers, describe(work), describe(pace.apart)));
  // Half of the workers are for them, from one commit to the next.
  const std::int64_t retries = mul_div_floor(slots, attempts - kMillion, kMillion);
  const std::int64_t retried =
      mul_div_floor((pace.workers + 1) / 2, kMillionthsASecond, (pace.apart + once).ns());
  if (retries > retried)
    why.push_back(fmt::format(
        "work fails, and would be begun again {} times a second; half of the workers are for that: {} a "
        "second "
        "(max_running {}, work takes {}, and a commit comes every {}). What fails waits for long",
        rate_text(retries), rate_text(retried), pace.workers, describe(once), describe(pace.apart)));
}

// ---- what begins together ----------------------------------------------------------------------------------

// So many slots of it may be fired by one commit: those that are due when a leader comes.
std::int64_t most_at_once(const EffectiveDefinition& effective) {
  const Definition& definition = *effective.definition;
  const std::int64_t all = count_slots(definition, effective.from, effective.to);
  if (definition.overlap != Overlap::allow) return std::min<std::int64_t>(all, 1);
  const Duration gap = least_gap(effective);
  const bool fires_late = definition.misfire.policy == Misfire::Policy::fire_all;
  const std::int64_t late = fires_late ? definition.misfire.catchup_limit() : 1;
  if (late >= all || gap == Duration::max()) return all;
  return std::min(all, late + 1 + definition.misfire.grace.ns() / gap.ns());
}

BegunTogether most_begun(const Scenario& scenario) {
  if (!scenario.scheduler->keeps_ledger) return {INT32_MAX, INT32_MAX};  // all that is due
  return most_begun_together(scenario.scheduling);
}

std::int64_t begun_together(const Scenario& scenario) {
  const BegunTogether most = most_begun(scenario);
  std::int64_t fires = 0;
  for (const EffectiveDefinition& effective : effective_definitions(scenario)) {
    if (fires >= most.fires) break;
    fires += most_at_once(effective);
  }
  std::int64_t runs = 0;
  for (const ChangeSetting& change : scenario.changes)
    if (change.action == ChangeAction::trigger || change.action == ChangeAction::backfill)
      runs += std::max<std::int64_t>(std::ssize(change.slots), 1);
  return std::max(std::min(fires, most.fires), std::min(runs, most.runs));
}

void see_departure(const Scenario& scenario, Reasons& why) {
  const auto timeout = least_election_value(scenario, "request_timeout");
  if (!timeout || !work_may_hold_up(scenario, Duration::nanos(*timeout))) return;
  const std::int64_t pieces = begun_together(scenario);
  why.push_back(
      fmt::format("up to {} pieces of work begin together, and take {} to leave their node; a renewal that "
                  "waits for that is "
                  "given up after {} (departure in [cluster], request_timeout): leaders lose their leases",
                  pieces, describe(scenario.departure.max() * pieces), describe(Duration::nanos(*timeout))));
}

}  // namespace

bool work_may_hold_up(const Scenario& scenario, Duration time) {
  if (scenario.scheduler == nullptr) return false;
  const Duration piece = scenario.departure.max();
  const BegunTogether most = most_begun(scenario);
  // To count what there is takes longer.
  return piece * std::max(most.fires, most.runs) >= time && piece * begun_together(scenario) >= time;
}

std::vector<std::string> overloads(const Scenario& scenario) {
  Reasons why;
  if (scenario.scheduler == nullptr) return why;
  see_departure(scenario, why);
  if (!scenario.scheduler->keeps_ledger) return why;
  const Duration way = scenario.departure.mean() + scenario.network.latency.mean() * 2;
  see_store(scenario, way, why);
  const std::vector<Rated> all = rates_of(scenario);
  const StoreTime end = StoreTime::from_ns(scenario.start_ns) + scenario.duration + scenario.tail;
  const DueWithin due_within{all, end};
  const CommitPace pace = commit_pace(scenario.scheduling,
                                      {scenario.store.latency.mean(), way, {&due_within, &DueWithin::count}});
  see_pace(scenario, pace, lasting_rate(all, scenario), why);
  // The next slot waits for its commit, and for its work to come and go; long work is meant to.
  const Duration own = pace.apart + way;
  const auto crowded = std::find_if(all.begin(), all.end(), [&](const Rated& one) {
    return one.effective.definition->overlap != Overlap::allow && one.gap < own;
  });
  if (crowded != all.end())
    why.push_back(
        fmt::format("`{}` has a slot every {}, and here it takes {} until its work has begun and is heard "
                    "of, however short that is: "
                    "with overlap = \"{}\" a slot waits for that, and others are left out",
                    crowded->effective.name, describe(crowded->gap), describe(own),
                    crowded->effective.definition->overlap == Overlap::skip ? "skip" : "queue_one"));
  return why;
}

}  // namespace tenure::sim
