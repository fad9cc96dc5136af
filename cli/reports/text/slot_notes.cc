#include "cli/reports/text/slot_notes.h"

#include <fmt/format.h>

#include "cli/arguments/local_time.h"

namespace tenure::cli {
namespace {

constexpr std::int64_t kNanosOfSecond = 1'000'000'000;

// Of a slot after the clock jumped forward at `begin`, by which local times from `gap` to `gap_end` were lost.
std::string gap_note(const CronRule& rule, std::int64_t utc, std::int64_t begin, std::int64_t gap,
                     std::int64_t gap_end) {
  const Cron& cron = *rule.cron;
  if (rule.gap == DstGap::shift) {
    const std::int64_t meant = gap + (utc - begin);
    if (meant >= gap_end || cron.at_or_after(meant) != meant) return {};
    return fmt::format("gap: {} does not exist, shifted", print_time_of_day(meant));
  }
  const std::int64_t lost = cron.count(gap, gap_end);
  if (rule.gap != DstGap::gap_end || utc != begin || lost == 0) return {};
  const std::string first = print_time_of_day(*cron.at_or_after(gap));
  if (lost == 1) return fmt::format("gap: {} does not exist, fires at the end of the gap", first);
  return fmt::format("gap: {} and {} more do not exist, fires at the end of the gap", first, lost - 1);
}

}  // namespace

std::string note_on(const CronRule& rule, StoreTime slot) {
  const std::int64_t utc = slot.ns() / kNanosOfSecond - (slot.ns() % kNanosOfSecond < 0 ? 1 : 0);
  const auto periods = rule.zone->periods();
  const std::size_t index = rule.zone->period_at(utc);
  const std::int64_t begin = periods[index].begin;
  const std::int64_t local = utc + periods[index].offset;
  if (index > 0) {
    const std::int64_t before = begin + periods[index - 1].offset;  // what the clock would have read
    const std::int64_t after = begin + periods[index].offset;
    if (before < after && !rule.cron->interval_type()) {
      std::string note = gap_note(rule, utc, begin, before, after);
      if (!note.empty()) return note;
    }
    if (local < before) return "overlap: second of two";
  }
  if (index + 1 < periods.size() && local >= rule.zone->end_of(index) + periods[index + 1].offset)
    return "overlap: first of two";
  return {};
}

}  // namespace tenure::cli
