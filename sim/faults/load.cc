#include "sim/faults/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/int128.h"
#include "core/model/describe.h"
#include "core/scheduler/registry.h"
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

}  // namespace

Duration least_gap(const Definition& definition, const Scenario& scenario) {
  constexpr int kLooked = 100;
  const StoreTime start = StoreTime::from_ns(scenario.start_ns);
  const StoreTime end = start + scenario.duration + scenario.tail;
  Duration least = Duration::max();
  auto slot = slot_at_or_after(definition, start);
  for (int i = 0; i < kLooked && slot && *slot < end; ++i) {
    const auto next = slot_after(definition, *slot);
    if (next) least = std::min(least, *next - *slot);
    slot = next;
  }
  return least;
}

std::vector<std::string> overloads(const Scenario& scenario) {
  std::vector<std::string> why;
  if (scenario.scheduler == nullptr || scenario.scheduler->commit_pace == nullptr) return why;
  const Duration request = scenario.store.latency.mean();
  const Duration way = scenario.departure.mean() + scenario.network.latency.mean() * 2;
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
  const CommitPace pace = scenario.scheduler->commit_pace(scenario.scheduling, request, way);
  // A load that lasts is a matter of means: what comes in a burst is done in the time after it.
  const StoreTime start = StoreTime::from_ns(scenario.start_ns);
  const Duration length = scenario.duration + scenario.tail;
  std::int64_t slots = 0;  // millionths a second
  const ScheduleSetting* crowded = nullptr;
  for (const ScheduleSetting& schedule : scenario.schedules) {
    const Duration gap = least_gap(schedule.definition, scenario);
    if (schedule.definition.paused || gap == Duration::max()) continue;
    slots += mul_div_floor(count_slots(schedule.definition, start, start + length), kMillionthsASecond,
                           std::max(length, Duration::nanos(1)).ns());
    if (schedule.definition.overlap != Overlap::allow && gap < pace.apart && crowded == nullptr)
      crowded = &schedule;
  }
  const std::int64_t rows = mul_div_floor(pace.rows, kMillionthsASecond, pace.apart.ns());
  if (slots > rows)
    why.push_back(
        fmt::format("the schedules have {} slots a second, and this store takes {} rows a second (at most "
                    "{} in a commit, and a commit every {}): slots come late, or are left out",
                    rate_text(slots), rate_text(rows), pace.rows, describe(pace.apart)));
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
  if (crowded != nullptr)
    why.push_back(fmt::format(
        "`{}` has a slot every {}, and on this store a commit follows {} after the last one: with "
        "overlap = \"{}\" a slot waits for that, and others are left out",
        crowded->name, describe(least_gap(crowded->definition, scenario)), describe(pace.apart),
        crowded->definition.overlap == Overlap::skip ? "skip" : "queue_one"));
  return why;
}

}  // namespace tenure::sim
