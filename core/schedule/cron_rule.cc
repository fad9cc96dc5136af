#include "core/schedule/cron_rule.h"

#include <algorithm>

namespace tenure {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Seconds since the epoch, up and down; `max()` and `min()` stay far from the ends of int64.
std::int64_t seconds_up(StoreTime time) { return time.ns() / kSecond + (time.ns() % kSecond > 0 ? 1 : 0); }
std::int64_t seconds_down(StoreTime time) { return time.ns() / kSecond - (time.ns() % kSecond < 0 ? 1 : 0); }

// Slots lie strictly before StoreTime::max(), which means "never", and not before min().
std::optional<StoreTime> as_slot(std::optional<std::int64_t> utc) {
  if (!utc || *utc > INT64_MAX / kSecond || *utc < INT64_MIN / kSecond) return std::nullopt;
  return StoreTime::from_ns(*utc * kSecond);
}

std::optional<std::int64_t> least(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

// One stretch of constant offset, and what the rule makes of it: local readings in [low, high), each once; and, if
// the clock jumped forward as it began, those in the gap [gap, gap_end), which do not exist.
class Stretch {
 public:
  Stretch(const CronRule& rule, std::size_t index) : cron_(*rule.cron), shifts_(rule.gap == DstGap::shift) {
    const auto periods = rule.zone->periods();
    begin_ = periods[index].begin;
    end_ = rule.zone->end_of(index);
    offset_ = periods[index].offset;
    low_ = gap_ = gap_end_ = begin_ + offset_;
    high_ = end_ + offset_;
    if (cron_.interval_type()) return;
    if (index > 0) {
      const std::int64_t before = begin_ + periods[index - 1].offset;  // what the clock would have read
      if (before < low_ && rule.gap != DstGap::skip) gap_ = before;
      if (before > low_ && rule.overlap == DstOverlap::first) low_ = before;
    }
    if (index + 1 < periods.size() && rule.overlap == DstOverlap::second)
      high_ = std::min(high_, end_ + periods[index + 1].offset);
  }

  // The first slot of the stretch at or after `utc`, the last at or before it. Where there is no regular one,
  // `beyond` is the local time of the match beyond the stretch that the search ended at.
  std::optional<std::int64_t> at_or_after(std::int64_t utc, std::optional<std::int64_t>& beyond) const {
    beyond = cron_.at_or_after(std::max(low_, utc + offset_));
    const auto regular = beyond && *beyond < high_ ? std::optional(*beyond - offset_) : std::nullopt;
    return least(regular, in_gap_at_or_after(utc));
  }
  std::optional<std::int64_t> at_or_before(std::int64_t utc, std::optional<std::int64_t>& beyond) const {
    beyond = cron_.at_or_before(std::min(high_ - 1, utc + offset_));
    const auto regular = beyond && *beyond >= low_ ? std::optional(*beyond - offset_) : std::nullopt;
    const auto in_gap = in_gap_at_or_before(utc);
    return regular && in_gap ? std::max(*regular, *in_gap) : regular ? regular : in_gap;
  }

  // How many slots there are in [from, to), a part of the stretch.
  std::int64_t count(std::int64_t from, std::int64_t to) const {
    std::int64_t total = cron_.count(std::max(low_, from + offset_), std::min(high_, to + offset_));
    // Those of a gap are few, and may fall on a regular one.
    for (auto slot = in_gap_at_or_after(from); slot && *slot < to; slot = in_gap_at_or_after(*slot + 1)) {
      const std::int64_t local = *slot + offset_;
      if (local < low_ || local >= high_ || cron_.at_or_after(local) != local) ++total;
    }
    return total;
  }

 private:
  // A shifted slot stays within the stretch, however short that is.
  std::int64_t shifted(std::int64_t local) const { return std::min(begin_ + (local - gap_), end_ - 1); }

  std::optional<std::int64_t> in_gap_at_or_after(std::int64_t utc) const {
    if (gap_ == gap_end_) return std::nullopt;
    if (!shifts_) return utc <= begin_ && gap_match(gap_) ? std::optional(begin_) : std::nullopt;
    const auto local = gap_match(gap_ + std::max<std::int64_t>(utc - begin_, 0));
    if (!local || shifted(*local) < utc) return std::nullopt;
    return shifted(*local);
  }
  std::optional<std::int64_t> in_gap_at_or_before(std::int64_t utc) const {
    if (gap_ == gap_end_ || utc < begin_) return std::nullopt;
    if (!shifts_) return gap_match(gap_) ? std::optional(begin_) : std::nullopt;
    // All that are shifted beyond the stretch fall on its last second.
    const std::int64_t latest = utc < end_ - 1 ? std::min(gap_ + (utc - begin_), gap_end_ - 1) : gap_end_ - 1;
    const auto local = cron_.at_or_before(latest);
    if (!local || *local < gap_) return std::nullopt;
    return shifted(*local);
  }
  std::optional<std::int64_t> gap_match(std::int64_t from) const {
    const auto local = cron_.at_or_after(from);
    return local && *local < gap_end_ ? local : std::nullopt;
  }

  const Cron& cron_;
  bool shifts_;
  std::int64_t begin_ = 0;  // of the stretch, in UTC
  std::int64_t end_ = 0;
  std::int64_t offset_ = 0;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
  std::int64_t gap_ = 0;
  std::int64_t gap_end_ = 0;
};

// No zone is further from UTC than this, so a match at a local time lies this close to the same reading in UTC.
constexpr std::int64_t kFarthest = 2 * 86'400;

// Searching ends here: what lies beyond has no StoreTime.
constexpr std::int64_t kLast = INT64_MAX / kSecond;

}  // namespace

std::optional<StoreTime> first_at_or_after(const CronRule& rule, StoreTime from) {
  std::int64_t utc = seconds_up(from);
  const TimeZone& zone = *rule.zone;
  std::size_t index = zone.period_at(utc);
  while (true) {
    std::optional<std::int64_t> beyond;
    if (const auto slot = Stretch(rule, index).at_or_after(utc, beyond)) return as_slot(slot);
    if (!beyond || *beyond - kFarthest > kLast) return std::nullopt;
    // A search through a whole stretch tells that nothing matches before `beyond`; one that began in the middle
    // says nothing of readings that come again.
    const bool whole = utc <= zone.periods()[index].begin;
    if (++index == zone.periods().size()) return std::nullopt;
    if (whole) index = std::max(index, zone.period_at(*beyond - kFarthest));
    utc = zone.periods()[index].begin;
  }
}

std::optional<StoreTime> last_before(const CronRule& rule, StoreTime to) {
  std::int64_t utc = seconds_down(to - Duration::micros(1));
  const TimeZone& zone = *rule.zone;
  std::size_t index = zone.period_at(utc);
  while (true) {
    std::optional<std::int64_t> beyond;
    if (const auto slot = Stretch(rule, index).at_or_before(utc, beyond)) return as_slot(slot);
    if (!beyond || *beyond + kFarthest < -kLast || index == 0) return std::nullopt;
    const bool whole = utc >= zone.end_of(index) - 1;
    --index;
    if (whole) index = std::min(index, zone.period_at(*beyond + kFarthest));
    utc = zone.end_of(index) - 1;
  }
}

std::int64_t count_slots(const CronRule& rule, StoreTime from, StoreTime to) {
  if (from >= to) return 0;
  const std::int64_t first = seconds_up(from);
  const std::int64_t end = seconds_up(to);
  const TimeZone& zone = *rule.zone;
  std::int64_t total = 0;
  for (std::size_t index = zone.period_at(first); index < zone.periods().size(); ++index) {
    const std::int64_t begin = std::max(first, zone.periods()[index].begin);
    if (begin >= end) break;
    total += Stretch(rule, index).count(begin, std::min(end, zone.end_of(index)));
  }
  return total;
}

}  // namespace tenure
