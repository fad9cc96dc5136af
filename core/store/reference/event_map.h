// What is known of each of some events: of work in hand, of fires on their way.
//
// Of one schedule there are few at a time. So each has a row: an event is found without looking at those of others, and
// one that comes takes the place of one that went, without asking for memory. A backfill makes thousands: so a row is
// cut into blocks, and no event that comes or goes moves more than one block.
//
//   1. A row is sorted by (slot, run) and holds each event once. Row after row, that is the order of events.
//   2. A block holds kBlock events at most. Only a row's first block is ever empty, when the row is.
//
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/fold.h"
#include "core/store/reference/fields.h"

namespace tenure::reference {

template <class Value>
class EventMap {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Whether something is known of any event of the schedule.
  bool knows(ScheduleId schedule) const {
    return schedule.value < rows_.size() && !rows_[schedule.value].empty() &&
           !rows_[schedule.value].front().empty();
  }

  const Value* find(const EventId& event) const {
    if (event.schedule.value >= rows_.size()) return nullptr;
    const Row& row = rows_[event.schedule.value];
    if (row.empty() || row.back().empty()) return nullptr;
    if (is_of(row.back().back(), event)) return &row.back().back().value;
    const Place place = place_in(row, event);
    return is_at(row, place, event) ? &row[place.block][place.entry].value : nullptr;
  }
  Value* find(const EventId& event) { return const_cast<Value*>(std::as_const(*this).find(event)); }

  // What is known of the event: from now on something is.
  Value& add(const EventId& event) {
    if (event.schedule.value >= rows_.size()) rows_.resize(event.schedule.value + 1);
    Row& row = rows_[event.schedule.value];
    if (row.empty()) row.emplace_back();
    Place place = place_in(row, event);
    if (is_at(row, place, event)) return row[place.block][place.entry].value;
    ++size_;
    if (row[place.block].size() == kBlock) place = make_room(row, place);
    Block& block = row[place.block];
    if (place.entry == block.size()) return block.emplace_back(Entry{event, Value{}}).value;
    return block.insert(at(block, place.entry), Entry{event, Value{}})->value;
  }

  // False if nothing was known of it.
  bool erase(const EventId& event) {
    if (event.schedule.value >= rows_.size()) return false;
    Row& row = rows_[event.schedule.value];
    if (row.empty() || row.back().empty()) return false;
    if (is_of(row.back().back(), event)) {
      row.back().pop_back();
      if (row.back().empty() && row.size() > 1) row.pop_back();
    } else {
      const Place place = place_in(row, event);
      if (!is_at(row, place, event)) return false;
      Block& block = row[place.block];
      block.erase(at(block, place.entry));
      if (block.empty() && row.size() > 1) row.erase(at(row, place.block));
    }
    --size_;
    return true;
  }

  // Calls see(event, value) for each of one schedule, in order.
  template <class See>
  void for_each_of(ScheduleId schedule, See&& see) const {
    if (schedule.value >= rows_.size()) return;
    for (const Block& block : rows_[schedule.value])
      for (const Entry& entry : block) see(entry.event, entry.value);
  }

  // Calls see(event, value) for each, in order.
  template <class See>
  void for_each(See&& see) const {
    for (const Row& row : rows_)
      for (const Block& block : row)
        for (const Entry& entry : block) see(entry.event, entry.value);
  }
  void hash(auto& sink) const {
    sink.add(size_);
    for_each([&](const EventId& event, const Value& value) { fold(sink, event, value); });
  }

 private:
  static constexpr std::size_t kBlock = 64;
  struct Entry {
    EventId event;
    Value value;
  };
  using Block = std::vector<Entry>;
  using Row = std::vector<Block>;
  struct Place {
    std::size_t block = 0;
    std::size_t entry = 0;
  };

  // Of two events of one schedule.
  static bool is_before(const Entry& one, const EventId& other) {
    return one.event.slot != other.slot ? one.event.slot < other.slot : one.event.run < other.run;
  }
  static bool is_of(const Entry& one, const EventId& event) {
    return one.event.slot == event.slot && one.event.run == event.run;
  }

  // Where the event is, or belongs: mostly at the end. REQUIRES: the row has a block.
  static Place place_in(const Row& row, const EventId& event) {
    const Block& last = row.back();
    if (last.empty() || is_before(last.back(), event)) return {row.size() - 1, last.size()};
    const auto ends_before = [](const Block& block, const EventId& other) {
      return is_before(block.back(), other);
    };
    const auto block = std::lower_bound(row.begin(), row.end() - 1, event, ends_before);
    const auto entry = std::lower_bound(block->begin(), block->end(), event, is_before);
    return {static_cast<std::size_t>(block - row.begin()), static_cast<std::size_t>(entry - block->begin())};
  }
  static bool is_at(const Row& row, const Place& place, const EventId& event) {
    return place.entry < row[place.block].size() && is_of(row[place.block][place.entry], event);
  }
  template <class Values>
  static auto at(Values& values, std::size_t i) {
    return values.begin() + static_cast<std::ptrdiff_t>(i);
  }

  // Cuts the full block at `place` in two, and returns what `place` is then. What comes at the end begins a new block:
  // so events that come in order fill their blocks.
  static Place make_room(Row& row, const Place& place) {
    const std::size_t cut = place.entry == kBlock ? kBlock : kBlock / 2;
    Block after(at(row[place.block], cut), row[place.block].end());
    row[place.block].resize(cut);
    row.insert(at(row, place.block + 1), std::move(after));
    return place.entry < cut ? place : Place{place.block + 1, place.entry - cut};
  }

  std::vector<Row> rows_;  // by schedule
  std::size_t size_ = 0;
};

// A set of events that come and go; EventSet is for those that stay.
using EventsInHand = EventMap<std::monostate>;

}  // namespace tenure::reference
