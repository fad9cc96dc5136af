// What each piece of work is to the leader that asked for it: a few marks, and a count of the marks that readers ask
// for often. A piece without any mark is forgotten.
//
// Thread rule: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/store/reference/event_map.h"

namespace tenure::sim {

class LeaderPieces {
 public:
  using Marks = std::uint8_t;
  static constexpr Marks kRunning = 1;
  static constexpr Marks kInHand = 2;     // also what waits to be begun again
  static constexpr Marks kFailed = 4;     // and is to be begun again
  static constexpr Marks kDelivered = 8;  // it was in hand, and the store has not taken it yet

  Marks of(const reference::EventId& event) const {
    const Marks* marks = pieces_.find(event);
    return marks != nullptr ? *marks : Marks{0};
  }
  // Returns the marks that it had before.
  Marks change(const reference::EventId& event, Marks set, Marks clear) {
    Marks* marks = pieces_.find(event);
    if (marks == nullptr) {
      if (set == 0) return 0;
      marks = &pieces_.add(event);
    }
    const Marks before = *marks;
    const auto after = static_cast<Marks>((before & ~clear) | set);
    count(event.schedule, before, after);
    if (after != 0)
      *marks = after;
    else
      pieces_.erase(event);
    return before;
  }
  // The pieces with any of these marks.
  std::vector<reference::EventId> with(Marks any) const {
    std::vector<reference::EventId> events;
    pieces_.for_each([&](const reference::EventId& event, Marks marks) {
      if ((marks & any) != 0) events.push_back(event);
    });
    return events;
  }

  std::size_t running() const { return running_; }
  std::size_t delivered() const { return delivered_; }
  // Whether a piece of the schedule is in hand.
  bool has_in_hand(ScheduleId schedule) const {
    return schedule.value < in_hand_.size() && in_hand_[schedule.value] > 0;
  }

 private:
  void count(ScheduleId schedule, Marks before, Marks after) {
    const auto changed = static_cast<Marks>(before ^ after);
    if ((changed & kRunning) != 0) (after & kRunning) != 0 ? ++running_ : --running_;
    if ((changed & kDelivered) != 0) (after & kDelivered) != 0 ? ++delivered_ : --delivered_;
    if ((changed & kInHand) == 0) return;
    if (in_hand_.size() <= schedule.value) in_hand_.resize(schedule.value + 1);
    (after & kInHand) != 0 ? ++in_hand_[schedule.value] : --in_hand_[schedule.value];
  }

  reference::EventMap<Marks> pieces_;
  std::size_t running_ = 0;
  std::size_t delivered_ = 0;
  std::vector<std::size_t> in_hand_;  // pieces, by schedule
};

}  // namespace tenure::sim
