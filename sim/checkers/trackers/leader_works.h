// The work that each incarnation asked for, as its leader sees it: what runs, what waits to be begun, for the first
// time or again, and when the last of each schedule was over.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/store/reference/event_map.h"
#include "sim/checkers/trackers/by_life.h"
#include "sim/checkers/trackers/leader_pieces.h"
#include "sim/checkers/trackers/waiting_work.h"
#include "sim/kernel/true_time.h"
#include "sim/world/record.h"

namespace tenure::sim {

class LeaderWorks {
 public:
  // `retries_within`: the longest time that a leader leaves between two attempts; `attempts`: so many under one token,
  // and it gives the work up.
  LeaderWorks(Duration retries_within, std::int64_t attempts)
      : retries_within_(retries_within), attempts_(attempts) {}

  void asked(Incarnation who, const reference::EventId& event) {
    Works& works = works_[who];
    works.pieces.change(event, LeaderPieces::kRunning | LeaderPieces::kInHand, 0);
    works.came_back.erase(event);
    works.waiting.is_begun(event);
  }
  // True if it had failed before.
  bool begun(Incarnation who, const reference::EventId& event) {
    return (works_[who].pieces.change(event, 0, LeaderPieces::kFailed) & LeaderPieces::kFailed) != 0;
  }
  void runs_no_more(Incarnation who, const reference::EventId& event) {
    if (Works* const works = works_.find(who)) works->pieces.change(event, 0, LeaderPieces::kRunning);
  }
  void failed(TrueTime now, Incarnation who, const WorkItem& item) {
    Works& works = works_[who];
    works.pieces.change(item.event, LeaderPieces::kFailed, 0);
    Failures& failures = works.failures.add(item.event);
    if (failures.token != item.token) failures = {item.token, 0};
    if (++failures.count < attempts_) came_back(now, who, item);
  }
  // It failed, or was refused, and is to be begun again; unless its branch of the store is gone.
  void came_back(TrueTime now, Incarnation who, const WorkItem& item) {
    if (item.token && item.token->branch < branch_) return;
    Works& works = works_[who];
    works.came_back.add(item.event) = now;
    works.waiting.came_back(item.event, now + retries_within_);
  }
  // The store has lost some events, and the outbox tells which it still has.
  void failed_over(std::uint32_t branch) {
    branch_ = branch;
    for (auto& [who, works] : works_) {
      works.came_back = {};
      works.waiting = {};
    }
  }
  // It is taken from the outbox, or done.
  void over(TrueTime now, Incarnation who, const reference::EventId& event) {
    Works* const works = works_.find(who);
    if (works == nullptr || (works->pieces.of(event) & LeaderPieces::kInHand) == 0) return;
    works->pieces.change(event, LeaderPieces::kDelivered, LeaderPieces::kInHand | LeaderPieces::kFailed);
    works->failures.erase(event);
    works->came_back.erase(event);
    works->waiting.is_begun(event);
    std::vector<TrueTime>& ended = works->ended;
    if (ended.size() <= event.schedule.value) ended.resize(event.schedule.value + 1, TrueTime::min());
    ended[event.schedule.value] = now;
  }
  // The store has taken it from the outbox.
  void taken(Incarnation who, const reference::EventId& event) {
    if (Works* const works = works_.find(who)) works->pieces.change(event, 0, LeaderPieces::kDelivered);
  }
  // The outbox has shown a page to it. What is neither in hand nor delivered is to be begun.
  void shown(TrueTime now, Incarnation who, std::uint64_t after, const reference::Outbox& page) {
    Works& works = works_[who];
    if (after == 0 && !page.more) forget_what_is_gone(works.pieces, page);
    works.waiting.shown(after, page, [&](const reference::EventId& event) -> std::optional<TrueTime> {
      if ((works.pieces.of(event) & (LeaderPieces::kInHand | LeaderPieces::kDelivered)) != 0)
        return std::nullopt;
      const TrueTime* back = works.came_back.find(event);
      return back != nullptr ? std::max(now, *back + retries_within_) : now;
    });
  }
  // What waited to be begun is the outbox's since its last leadership ended.
  void leads_anew(Incarnation who) {
    Works* const works = works_.find(who);
    if (works == nullptr) return;
    LeaderPieces& pieces = works->pieces;
    for (const reference::EventId& event : pieces.with(LeaderPieces::kInHand | LeaderPieces::kFailed))
      pieces.change(event, 0, LeaderPieces::kInHand | LeaderPieces::kFailed);
    for (const reference::EventId& event : pieces.with(LeaderPieces::kRunning))
      pieces.change(event, LeaderPieces::kInHand, 0);
    works->waiting = {};
  }

  std::size_t running(Incarnation who) const {
    const Works* const works = works_.find(who);
    return works != nullptr ? works->pieces.running() : 0;
  }
  // How much waits to be begun.
  std::size_t waiting(Incarnation who) const {
    const Works* const works = works_.find(who);
    return works != nullptr ? works->waiting.size() : 0;
  }
  // What has waited longest to be begun.
  std::optional<WaitingWork::Waiting> oldest_waiting(Incarnation who) const {
    const Works* const works = works_.find(who);
    return works != nullptr ? works->waiting.oldest() : std::nullopt;
  }
  bool has(Incarnation who, ScheduleId schedule) const {
    const Works* const works = works_.find(who);
    return works != nullptr && works->pieces.has_in_hand(schedule);
  }
  // Whether it has no work of the schedule, and had none since `time`.
  bool has_had_none(Incarnation who, ScheduleId schedule, TrueTime time) const {
    return !has(who, schedule) && ended_at(who, schedule) < time;
  }
  // When the last work of the schedule was over; min() for none.
  TrueTime ended_at(Incarnation who, ScheduleId schedule) const {
    const Works* const works = works_.find(who);
    const bool known = works != nullptr && schedule.value < works->ended.size();
    return known ? works->ended[schedule.value] : TrueTime::min();
  }

 private:
  // The page is the whole outbox.
  static void forget_what_is_gone(LeaderPieces& pieces, const reference::Outbox& page) {
    if (pieces.delivered() == 0) return;
    std::vector<reference::EventId> there;
    for (const reference::OutboxEvent& one : page.events) there.push_back(one.id);
    std::sort(there.begin(), there.end());
    for (const reference::EventId& event : pieces.with(LeaderPieces::kDelivered))
      if (!std::binary_search(there.begin(), there.end(), event))
        pieces.change(event, 0, LeaderPieces::kDelivered);
  }

  struct Failures {
    std::optional<Token> token;
    std::int64_t count = 0;
  };
  struct Works {
    LeaderPieces pieces;
    reference::EventMap<TrueTime> came_back;  // when, of what has not been asked for again
    reference::EventMap<Failures> failures;
    WaitingWork waiting;
    std::vector<TrueTime> ended;  // by schedule
  };

  Duration retries_within_;
  std::int64_t attempts_;
  std::uint32_t branch_ = 0;  // the store's
  ByLife<Works> works_;
};

}  // namespace tenure::sim
