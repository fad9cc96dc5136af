// The cost of a schedule: the next slot, an expression that is refused, and the memory of a million held ones.
//
//   cron_next_utc, cron_next_dst   slots found one after another; items/s is the figure (targets 10 M and 2 M)
//   cron_refuse                    the dearest bad expression known (target: under 1 ms)
//   hold_a_million                 bytes for each schedule that a leader and a standby's table hold
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/schedule/definition.h"
#include "core/scheduler/fenced_outbox/due_queue.h"
#include "core/scheduler/fenced_outbox/schedule_table.h"

namespace tenure {
namespace {

constexpr std::int64_t kYear = 31'556'952;
constexpr std::int64_t kNow = 1'767'225'600;  // 2026-01-01

// As Europe/Berlin from 1980 to the end of StoreTime, near enough: two changes a year.
std::shared_ptr<const TimeZone> two_changes_a_year() {
  std::vector<TimeZone::Period> periods{{TimeZone::kAlways, 3'600}};
  for (std::int64_t year = 0; year < 282; ++year) {
    const std::int64_t january = 315'532'800 + year * kYear;
    periods.push_back({january + 87 * 86'400, 7'200});
    periods.push_back({january + 297 * 86'400, 3'600});
  }
  return std::make_shared<const TimeZone>("Bench/Zone", "1", std::move(periods));
}

constexpr const char* kCommon[] = {"* * * * *", "*/5 * * * *", "30 2 * * *", "0 9 * * MON-FRI", "0 0 1 * *"};

void next(benchmark::State& state, const std::shared_ptr<const TimeZone>& zone) {
  const char* text = kCommon[state.range(0)];
  const CronRule rule{std::make_shared<const Cron>(std::get<Cron>(Cron::parse(text))), zone};
  const StoreTime begin = StoreTime{} + Duration::seconds(kNow);
  const StoreTime end = begin + Duration::hours(24 * 365 * 20);
  StoreTime at = begin;
  for (auto _ : state) {
    at = *first_at_or_after(rule, at + Duration::micros(1));
    benchmark::DoNotOptimize(at);
    if (at > end) at = begin;
  }
  state.SetLabel(text);
  state.SetItemsProcessed(state.iterations());
}
void cron_next_utc(benchmark::State& state) { next(state, TimeZone::utc()); }
void cron_next_dst(benchmark::State& state) { next(state, two_changes_a_year()); }
BENCHMARK(cron_next_utc)->DenseRange(0, std::size(kCommon) - 1);
BENCHMARK(cron_next_dst)->DenseRange(0, std::size(kCommon) - 1);

void cron_refuse(benchmark::State& state) {
  const std::string texts[] = {"0 0 30 2 *", "0 0 31,L-30 2 *", "0 0 30W,31W 2 *",
                               std::string(10'000'000, '*'), "0 0 " + std::string(250, ',') + " * *"};
  const std::string& text = texts[static_cast<std::size_t>(state.range(0))];
  for (auto _ : state) {
    const auto parsed = Cron::parse(text);
    if (!std::holds_alternative<CronError>(parsed)) state.SkipWithError("it was not refused");
  }
  state.SetLabel(text.substr(0, 20));
}
BENCHMARK(cron_refuse)->DenseRange(0, 4)->Unit(benchmark::kMicrosecond);

// Large blocks are mapped apart from the heap.
std::size_t bytes_in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void hold_a_million(benchmark::State& state) {
  constexpr std::uint32_t kCount = 1'000'000;
  const auto cron = std::make_shared<const Cron>(std::get<Cron>(Cron::parse("0 3 * * *")));
  const auto zone = two_changes_a_year();
  for (auto _ : state) {
    const std::size_t before = bytes_in_use();
    ScheduleTable table;
    DueQueue queue;
    const StoreTime now = StoreTime{} + Duration::seconds(kNow);
    for (std::uint32_t id = 0; id < kCount; ++id) {
      const Definition definition{.recurrence = CronRule{cron, zone}};
      const reference::Segment segment{.schedule = {id}, .version = 1, .begin = now, .cursor = now};
      table.apply({.seq = id + 1, .segment = segment, .definition = definition}, 1);
      queue.put(segment, *table.find({id}, 1));
    }
    const auto held = static_cast<double>(bytes_in_use() - before);
    state.counters["bytes_per_schedule"] = held / kCount;
    std::vector<reference::LedgerRow> rows;
    DueQueue::Routed routed;
    queue.take_due(now + Duration::hours(3), StoreTime::max(), 500, 500, {}, rows, routed);
    if (rows.size() != 500) state.SkipWithError("not what was due");
  }
}
BENCHMARK(hold_a_million)->Iterations(1)->Unit(benchmark::kMillisecond);

// What a leader pays for a commit's worth of fires out of a million schedules: no scan.
void next_due_of_a_million(benchmark::State& state) {
  const auto count = static_cast<std::uint32_t>(state.range(0));
  const StoreTime begin = StoreTime{} + Duration::seconds(kNow);
  DueQueue queue;
  for (std::uint32_t id = 0; id < count; ++id) {
    const Definition definition{.recurrence = Interval{begin + Duration::millis(id), Duration::hours(24)}};
    queue.put({.schedule = {id}, .version = 1, .begin = begin, .cursor = begin}, definition);
  }
  StoreTime now = begin;
  std::vector<reference::LedgerRow> rows;
  DueQueue::Routed routed;
  std::int64_t fires = 0;
  for (auto _ : state) {
    rows.clear();
    now = queue.next();
    queue.take_due(now, StoreTime::max(), 500, 500, {}, rows, routed);
    fires += static_cast<std::int64_t>(rows.size());
  }
  state.SetItemsProcessed(fires);
}
BENCHMARK(next_due_of_a_million)->Arg(1'000)->Arg(1'000'000);

}  // namespace
}  // namespace tenure
