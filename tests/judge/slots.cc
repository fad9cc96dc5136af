#include "tests/judge/slots.h"

#include <algorithm>
#include <set>

#include "core/base/hash.h"
#include "core/base/int128.h"
#include "tests/judge/cron.h"

namespace tenure::judging {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400;
constexpr Duration kMicrosecond = Duration::micros(1);

// A stretch of local readings: [from, to), in seconds.
struct Readings {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// The periods of a zone that hold within two days of [from, to): no change of a clock is longer than a day.
std::vector<std::size_t> periods_near(const TimeZone& zone, std::int64_t from, std::int64_t to) {
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < zone.periods().size(); ++i)
    if (zone.periods()[i].begin < to + 2 * kDay && zone.end_of(i) > from - 2 * kDay) near.push_back(i);
  return near;
}

// All readings that may fire in [from, to): what the clock shows then, and what it jumps over there.
std::vector<Readings> readings_near(const TimeZone& zone, const std::vector<std::size_t>& near,
                                    std::int64_t from, std::int64_t to) {
  std::vector<Readings> all;
  for (const std::size_t i : near) {
    const std::int64_t offset = zone.periods()[i].offset;
    all.push_back({from + offset, to + offset});
    if (i > 0)
      all.push_back(
          {zone.periods()[i].begin + zone.periods()[i - 1].offset, zone.periods()[i].begin + offset});
  }
  return all;
}

// The instants at which the zone's clock reads `local`.
std::vector<std::int64_t> instants_of(const TimeZone& zone, const std::vector<std::size_t>& near,
                                      std::int64_t local) {
  std::vector<std::int64_t> instants;
  for (const std::size_t i : near) {
    const std::int64_t utc = local - zone.periods()[i].offset;
    if (utc >= zone.periods()[i].begin && utc < zone.end_of(i)) instants.push_back(utc);
  }
  return instants;
}

// What becomes of a fixed time that the clock jumps over.
std::vector<std::int64_t> instants_in_gap(const CronRule& rule, const std::vector<std::size_t>& near,
                                          std::int64_t local) {
  const auto periods = rule.zone->periods();
  for (const std::size_t i : near) {
    if (i == 0) continue;
    const std::int64_t begin = periods[i].begin + periods[i - 1].offset;
    const std::int64_t end = periods[i].begin + periods[i].offset;
    if (local < begin || local >= end) continue;
    switch (rule.gap) {
      case DstGap::gap_end: return {periods[i].begin};
      case DstGap::shift: return {local - periods[i - 1].offset};
      case DstGap::skip: return {};
    }
  }
  return {};
}

std::vector<std::int64_t> fires_at(const CronRule& rule, const std::vector<std::size_t>& near,
                                   bool interval_type, std::int64_t local) {
  std::vector<std::int64_t> instants = instants_of(*rule.zone, near, local);
  if (interval_type) return instants;
  if (instants.empty()) return instants_in_gap(rule, near, local);
  std::sort(instants.begin(), instants.end());
  if (instants.size() == 1 || rule.overlap == DstOverlap::both) return instants;
  return {rule.overlap == DstOverlap::first ? instants.front() : instants.back()};
}

// The readings in a stretch that the expression names.
std::vector<std::int64_t> named(const Expression& expression, const Readings& readings) {
  std::vector<std::int64_t> all;
  for (std::int64_t day = readings.from / kDay - 1; day * kDay < readings.to; ++day) {
    if (day * kDay + kDay <= readings.from || !names_day(expression, day)) continue;
    for (const int hour : expression.hours) {
      const std::int64_t begin = day * kDay + hour * 3600;
      if (begin + 3600 <= readings.from || begin >= readings.to) continue;
      for (const int minute : expression.minutes)
        for (const int second : expression.seconds)
          if (const std::int64_t local = begin + minute * 60 + second;
              local >= readings.from && local < readings.to)
            all.push_back(local);
    }
  }
  return all;
}

std::vector<StoreTime> calendar_between(const CronRule& rule, StoreTime from, StoreTime to) {
  const Expression expression = read_expression(rule.cron->text());
  // Whole seconds around it.
  const std::int64_t first = from.ns() / kSecond - 1;
  const std::int64_t last = to.ns() / kSecond + 1;
  const std::vector<std::size_t> near = periods_near(*rule.zone, first, last);
  std::set<std::int64_t> instants;  // two readings that fall on one are one slot
  for (const Readings& readings : readings_near(*rule.zone, near, first, last))
    for (const std::int64_t local : named(expression, readings))
      for (const std::int64_t utc : fires_at(rule, near, expression.interval_type, local))
        instants.insert(utc);
  std::vector<StoreTime> slots;
  for (const std::int64_t utc : instants) {
    const StoreTime slot = StoreTime{} + Duration::seconds(utc);
    if (slot >= from && slot < to) slots.push_back(slot);
  }
  return slots;
}

std::vector<StoreTime> grid_between(const Interval& interval, StoreTime from, StoreTime to) {
  std::vector<StoreTime> slots;
  const int128 start = interval.start.ns();
  const int128 period = interval.period.ns();
  int128 n = 0;
  if (from.ns() > start) n = (from.ns() - start) / period;
  for (; start + n * period < to.ns(); ++n)
    if (start + n * period >= from.ns())
      slots.push_back(StoreTime::from_ns(static_cast<std::int64_t>(start + n * period)));
  return slots;
}

std::vector<StoreTime> recurrence_between(const Recurrence& recurrence, StoreTime from, StoreTime to) {
  if (from >= to) return {};
  if (const auto* interval = std::get_if<Interval>(&recurrence)) return grid_between(*interval, from, to);
  if (const auto* rule = std::get_if<CronRule>(&recurrence)) return calendar_between(*rule, from, to);
  std::vector<StoreTime> slots;
  for (const StoreTime time : *std::get<Times>(recurrence).at)
    if (time >= from && time < to) slots.push_back(time);
  return slots;
}

}  // namespace

std::vector<StoreTime> slots_between(const Definition& definition, StoreTime from, StoreTime to) {
  return recurrence_between(definition.recurrence, std::max(from, definition.not_before),
                            std::min(to, definition.until));
}

bool is_slot(const Definition& definition, StoreTime time) {
  return !slots_between(definition, time, time + kMicrosecond).empty();
}

StoreTime due_of(const Definition& definition, ScheduleId schedule, StoreTime slot) {
  const Jitter& jitter = definition.jitter;
  if (jitter.max <= Duration{}) return slot;
  // The next slot counts whether or not the schedule ends before it; and only where it is nearer than the jitter.
  const std::vector<StoreTime> next =
      recurrence_between(definition.recurrence, slot + kMicrosecond, slot + jitter.max);
  const Duration most = next.empty() ? jitter.max : next.front() - slot;
  Hasher hasher(jitter.seed);
  hasher.add(schedule);
  if (jitter.per == Jitter::Per::slot) hasher.add(slot);
  const uint128 product = static_cast<uint128>(hasher.value()) * static_cast<std::uint64_t>(most.ns());
  return slot + Duration::nanos(static_cast<std::int64_t>(product >> 64));
}

}  // namespace tenure::judging
