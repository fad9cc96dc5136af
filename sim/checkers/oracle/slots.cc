#include "sim/checkers/oracle/slots.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "sim/checkers/oracle/calendar.h"

namespace tenure::sim {

// The slots of a calendar or of a list, without bounds.
class SlotPages {
 public:
  // All slots in [from, to).
  struct Page {
    StoreTime from;
    StoreTime to;
    std::vector<StoreTime> slots;

    std::vector<StoreTime>::const_iterator at_or_after(StoreTime time) const {
      return std::lower_bound(slots.begin(), slots.end(), time);
    }
  };

  explicit SlotPages(const CronRule& rule) : calendar_(rule) {
    const CronFields fields{rule.cron->text()};
    const auto a_day = fields.hours().size() * fields.minutes().size() * fields.seconds().size();
    // About a thousand slots, and whole hours.
    length_ =
        Duration::hours(std::clamp<std::int64_t>(24'000 / static_cast<std::int64_t>(a_day), 1, 24 * 400));
  }
  explicit SlotPages(const Times& times) { kept_[0] = {StoreTime::min(), StoreTime::max(), *times.at}; }

  std::uint64_t count(StoreTime from, StoreTime to) {
    // More than is kept is counted by the day.
    if (calendar_ && from < to - length_ * static_cast<std::int64_t>(kKept))
      return calendar_->count(from, to);
    std::uint64_t total = 0;
    while (from < to) {
      const Page& page = at(from);
      total += static_cast<std::uint64_t>(page.at_or_after(to) - page.at_or_after(from));
      from = page.to;
    }
    return total;
  }

  // The page that `time` is on. It stays until another one has been asked for kKept times.
  const Page& at(StoreTime time) {
    for (const Page& page : kept_) {
      if (page.from <= time && time < page.to) return page;
    }
    std::int64_t number = time.ns() / length_.ns();
    if (length_ * number > time - StoreTime{}) --number;
    Page page{StoreTime{} + length_ * number, StoreTime{} + length_ * (number + 1), {}};
    page.slots = calendar_->between(page.from, page.to);
    next_ = (next_ + 1) % kKept;
    return kept_[next_] = std::move(page);
  }

 private:
  static constexpr std::size_t kKept = 4;

  std::optional<Calendar> calendar_;  // none for a list
  Duration length_;
  std::array<Page, kKept> kept_;  // an empty one holds no time
  std::size_t next_ = 0;
};

Slots::Slots(const Definition& definition)
    : first_(definition.not_before), until_(definition.until), jitter_(definition.jitter) {
  if (const auto* interval = std::get_if<Interval>(&definition.recurrence)) {
    first_ = interval->start;
    period_ = interval->period;
    if (definition.not_before > first_) first_ += period_ * slots_before(definition.not_before);
  } else if (const auto* rule = std::get_if<CronRule>(&definition.recurrence)) {
    pages_ = std::make_shared<SlotPages>(*rule);
  } else {
    pages_ = std::make_shared<SlotPages>(std::get<Times>(definition.recurrence));
  }
}

std::optional<StoreTime> Slots::at_or_after(StoreTime time) const {
  if (pages_ == nullptr) {
    if (!has_grid()) return std::nullopt;
    const StoreTime slot = first_ + period_ * slots_before(time);
    if (!has(slot)) return std::nullopt;  // beyond the end of time
    return slot;
  }
  return page_at_or_after(std::max(time, first_), until_);
}

std::optional<StoreTime> Slots::page_at_or_after(StoreTime time, StoreTime end) const {
  while (time < end) {
    const SlotPages::Page& page = pages_->at(time);
    const auto found = page.at_or_after(time);
    if (found != page.slots.end()) return *found < end ? std::optional(*found) : std::nullopt;
    time = page.to;
  }
  return std::nullopt;
}

std::optional<StoreTime> Slots::before(StoreTime time) const {
  time = std::min(time, until_);
  if (pages_ == nullptr) {
    const std::int64_t n = has_grid() ? slots_before(time) : 0;
    if (n == 0) return std::nullopt;
    return first_ + period_ * (n - 1);
  }
  while (time > first_) {
    const SlotPages::Page& page = pages_->at(time - kStoreResolution);
    const auto found = page.at_or_after(time);
    if (found != page.slots.begin())
      return *(found - 1) >= first_ ? std::optional(*(found - 1)) : std::nullopt;
    time = page.from;
  }
  return std::nullopt;
}

std::uint64_t Slots::count(StoreTime from, StoreTime to) const {
  to = std::min(to, until_);
  if (pages_ == nullptr) {
    if (!has_grid() || to <= from) return 0;
    return static_cast<std::uint64_t>(slots_before(to) - slots_before(from));
  }
  from = std::max(from, first_);
  return pages_->count(from, to);
}

bool Slots::has_only(StoreTime slot, StoreTime from, StoreTime to) const {
  if (!has(slot) || slot < from || slot >= to) return false;
  if (slot - from < period_ && to - slot <= period_) return true;
  return count(from, to) == 1;
}

StoreTime Slots::end_of_due(ScheduleId schedule, StoreTime time) const {
  if (!jittered()) return time;
  const auto last = before(time);
  return last && due(schedule, *last) >= time ? *last : time;
}

std::int64_t Slots::slots_before(StoreTime time) const {
  if (time <= first_) return 0;
  return ((time - first_).ns() - 1) / period_.ns() + 1;
}

bool Slots::page_has(StoreTime time) const {
  if (time < first_ || time >= until_) return false;
  const SlotPages::Page& page = pages_->at(time);
  const auto found = page.at_or_after(time);
  return found != page.slots.end() && *found == time;
}

// The spread reaches to the next slot whether or not that is within the bounds.
StoreTime Slots::due_later(ScheduleId schedule, StoreTime slot) const {
  const auto next = pages_ == nullptr ? std::optional(slot + period_)
                                      : page_at_or_after(slot + kStoreResolution, StoreTime::max());
  return due_with_jitter(jitter_, schedule, slot, next);
}

}  // namespace tenure::sim
