// The events that others deliver, until they have: those that consumers pull, and those that the leader pushes.
//
//   1. An event is here from the commit that fired it, from the trigger, or from a redrive, until it was acknowledged,
//      completed or given up, its last attempt failed, or a later event of its schedule has replaced it.
//   2. A claim stands until its end by the store's clock, and for ever while a hold is set. An attempt that has not
//      ended when its claim is over counts as one that failed, but waits for nothing: the event is handed out at once.
//      A heartbeat that comes later lets the claim stand again, unless the event was handed out again, or has gone.
//      An attempt that its worker gives back has ended, and does not count. Numbers of attempts go up all the same.
//   3. An event whose rules allow one at a time is not handed out while a claim stands on another of its schedule that
//      is earlier, or whose rules say the same. (Later ones whose rules allow more at once, after an edit, could keep
//      it waiting for ever.) In strict order it is not handed out while an earlier one is here at all, also while that
//      waits after a failure. Only events that consumers pull count: no destination delays them. All this is judged
//      when an event is handed out: after that, a late heartbeat can let a second claim of its schedule stand.
//   4. Of a schedule that replaces, a new slot removes the events of earlier slots that nobody works on, and asks those
//      who work on one to stop. When such an attempt ends, however it does, its event is gone. Manual runs are neither
//      replaced nor do they replace anything: people asked for them. What is pushed stays, too (decision 70).
//   5. What became of an event's last attempt is remembered until it is pruned, so that an end can be repeated.
//   6. If the clock went back behind a claim, it is unknown how much of it is used up: with the next claim all of it is
//      counted again from now, as leases are. When a hold is cleared, every claim is counted again from now, and so is
//      every wait that would begin in the future.
//
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/store/reference/event_map.h"
#include "core/store/reference/tables.h"

namespace tenure::reference {

class WaitingTable final : public WaitingRows {
 public:
  bool add(WaitingRow row) override;
  void save(const WaitingRow& row) override { latest_from_ = std::max(latest_from_, row.attempt.from); }
  WaitingRow take(WaitingRow& row) override;
  WaitingRow* find(const EventId& id) override;
  std::vector<WaitingRow*> of(ScheduleId schedule) override;
  std::size_t count(ScheduleId schedule) override;

  StoreTime latest_from() const override { return latest_from_; }
  void count_again(StoreTime now, bool all) override;
  std::vector<WaitingRow*> timed_out(const std::string& topic, StoreTime now, bool held) override;
  void for_claimable(const ClaimExecutions& asked, StoreTime now, bool held,
                     const std::function<void(WaitingRow&)>& hand_out) override;

  void remember(const EventId& id, const Ended& ended) override { ended_[id] = ended; }
  std::optional<Ended> ended(const EventId& id) override;

  void read(const ReadWaiting& asked, StoreTime now, bool held, WaitingEvents& events) const;
  Depth depth(Delivery::Kind kind) const;
  bool knows(ScheduleId schedule) const { return by_schedule_.contains(schedule); }
  bool has_push() const { return pushes_ > 0; }
  std::optional<std::uint32_t> version_of(const EventId& id) const;
  // Whether an event of one of these versions is here.
  bool needs(ScheduleId schedule, std::uint32_t first, std::uint32_t last) const;
  // Forgets what became of executions by `before`; returns of how many.
  std::uint64_t prune(StoreTime before, std::uint64_t limit);
  void hash(auto& sink) const { fold(sink, rows_, ended_); }

 private:
  bool may_be_claimed(const WaitingRow& row, StoreTime now, bool held) const;
  // REQUIRES: its rules allow one at a time.
  bool is_its_turn(const WaitingRow& row, StoreTime now, bool held) const;

  std::map<std::uint64_t, WaitingRow> rows_;  // by number
  EventMap<std::uint64_t> seq_of_;
  std::map<ScheduleId, std::set<std::uint64_t>> by_schedule_;
  std::map<EventId, Ended> ended_;
  std::size_t pushes_ = 0;                    // of rows_
  StoreTime latest_from_ = StoreTime::min();  // of any attempt, past ones included
};

}  // namespace tenure::reference
