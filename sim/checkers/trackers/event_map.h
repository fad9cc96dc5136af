// What is known of each of some events: of work in hand, of fires on their way.
//
// Of one schedule there are few at a time. So each has a row: an event is found without looking at those of others, and
// one that comes takes the place of one that went, without asking for memory.
//
//   1. A row is sorted by (slot, run) and holds each event once. Row after row, that is the order of events.
//
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/store/reference/requests.h"

namespace tenure::sim {

template <class Value>
class EventMap {
 public:
  struct Entry {
    reference::EventId event;
    Value value;
  };

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  const Value* find(const reference::EventId& event) const {
    if (event.schedule.value >= rows_.size()) return nullptr;
    const Row& row = rows_[event.schedule.value];
    const std::size_t at = place_in(row, event);
    return at < row.size() && row[at].event == event ? &row[at].value : nullptr;
  }
  Value* find(const reference::EventId& event) {
    return const_cast<Value*>(std::as_const(*this).find(event));
  }

  // What is known of the event: from now on something is.
  Value& add(const reference::EventId& event) {
    if (event.schedule.value >= rows_.size()) rows_.resize(event.schedule.value + 1);
    Row& row = rows_[event.schedule.value];
    const std::size_t at = place_in(row, event);
    if (at == row.size() || row[at].event != event) {
      row.insert(row.begin() + static_cast<std::ptrdiff_t>(at), Entry{event, Value{}});
      ++size_;
    }
    return row[at].value;
  }

  // False if nothing was known of it.
  bool erase(const reference::EventId& event) {
    if (event.schedule.value >= rows_.size()) return false;
    Row& row = rows_[event.schedule.value];
    const std::size_t at = place_in(row, event);
    if (at == row.size() || row[at].event != event) return false;
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
    --size_;
    return true;
  }

  // Those of one schedule, in order.
  std::span<const Entry> of(ScheduleId schedule) const {
    if (schedule.value >= rows_.size()) return {};
    return rows_[schedule.value];
  }
  // Calls see(event, value) for each, in order.
  template <class See>
  void for_each(See&& see) const {
    for (const Row& row : rows_)
      for (const Entry& entry : row) see(entry.event, entry.value);
  }

 private:
  using Row = std::vector<Entry>;

  // Where the event is, or belongs: mostly at an end.
  static std::size_t place_in(const Row& row, const reference::EventId& event) {
    if (row.empty() || row.back().event < event) return row.size();
    const auto place = std::lower_bound(
        row.begin(), row.end(), event,
        [](const Entry& entry, const reference::EventId& other) { return entry.event < other; });
    return static_cast<std::size_t>(place - row.begin());
  }

  std::vector<Row> rows_;  // by schedule
  std::size_t size_ = 0;
};

// A set of events that come and go; EventSet is for those that stay.
using EventsInHand = EventMap<std::monostate>;

}  // namespace tenure::sim
