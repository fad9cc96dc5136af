#include "sim/faults/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/int128.h"
#include "core/model/describe.h"
#include "core/scheduler/registry.h"

namespace tenure::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

// With one decimal: people read it.
std::string rate_text(std::int64_t millionths_a_second) {
  const std::int64_t tenths = millionths_a_second / 100'000;
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
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
  const CommitPace pace =
      scenario.scheduler->commit_pace(scenario.scheduling, scenario.store.latency.mean(),
                                      scenario.departure.mean() + scenario.network.latency.mean() * 2);
  // A load that lasts is a matter of means: what comes in a burst is done in the time after it.
  const StoreTime start = StoreTime::from_ns(scenario.start_ns);
  const Duration length = scenario.duration + scenario.tail;
  constexpr std::int64_t kMillionthsASecond = kMillion * 1'000'000'000;  // of one in a nanosecond
  std::int64_t slots = 0;                                                // millionths a second
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
        fmt::format("the schedules have {} slots a second, and this store takes {} rows a second (batch {}, "
                    "a commit every {}): slots come late, or are left out",
                    rate_text(slots), rate_text(rows), pace.rows, describe(pace.apart)));
  if (crowded != nullptr)
    why.push_back(fmt::format(
        "`{}` has a slot every {}, and on this store a commit follows {} after the last one: with "
        "overlap = \"{}\" a slot waits for that, and others are left out",
        crowded->name, describe(least_gap(crowded->definition, scenario)), describe(pace.apart),
        crowded->definition.overlap == Overlap::skip ? "skip" : "queue_one"));
  return why;
}

}  // namespace tenure::sim
