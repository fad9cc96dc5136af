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

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/store/reference/event_map.h"
#include "core/store/reference/requests.h"

namespace tenure::reference {

// Of how many that are to be tried no more one claim finds out, at most.
inline constexpr std::size_t kSettledAtOnce = 100;

// Why an attempt failed whose worker has not said so.
inline constexpr std::string_view kTimedOut = "the claim was over before the work was";

struct WaitingRow {
  EventId id;
  std::uint32_t version = 0;
  std::string name;  // its topic or destination
  DeliveryRules rules;
  StoreTime at = {};  // when it was committed
  Attempt attempt = {};
  std::string worker = {};  // of the attempt
  std::string why = {};     // of the last failure
};

class WaitingTable {
 public:
  // An event that is no longer here, because it is dead or was replaced.
  struct Left {
    std::uint64_t seq = 0;
    WaitingRow row;
    Standing how = Standing::dead;
  };

  bool contains(const EventId& id) const { return seq_of_.find(id) != nullptr; }
  // REQUIRES: it is not here, and its number is larger than any before.
  void add(std::uint64_t seq, WaitingRow row);
  // How many of the schedule's events are here.
  std::size_t count(ScheduleId schedule) const;
  // A slot of the schedule fires (invariant 4). Returns the events that are gone.
  std::vector<Left> replace(ScheduleId schedule, StoreTime now);
  enum class Acknowledgement : std::uint8_t { not_here, taken, claimed };
  Acknowledgement acknowledge(const EventId& id, StoreTime now, bool held);
  // The number of the last attempt at an event that is no longer here, if that is remembered; 0: it is not.
  std::uint32_t last_attempt(const EventId& id) const {
    const auto found = ended_.find(id);
    return found == ended_.end() ? 0 : found->second.attempt;
  }
  // An event is dead, whatever its attempt; nullopt when it is not here.
  std::optional<Left> give_up(const DeadEvent& dead, StoreTime now);

  // Hands events out. `left`: those that turned out to be dead, or replaced.
  ClaimedExecutions claim(const ClaimExecutions& asked, StoreTime now, bool held, std::vector<Left>& left);
  ExecutionState extend(const ExecutionToken& token, Duration duration, StoreTime now);
  // `left`: the event, if it is dead or was replaced.
  ExecutionState end(const ExecutionEnd& end, StoreTime now, std::optional<Left>& left);
  // `left`: the event, if it was to be replaced.
  ExecutionState release(const ExecutionToken& token, StoreTime now, std::optional<Left>& left);
  // A hold was cleared (invariant 6).
  void count_again(StoreTime now);

  void read(const ReadWaiting& asked, StoreTime now, bool held, WaitingEvents& events) const;
  Depth depth(Delivery::Kind kind) const;
  bool has_push() const { return pushes_ > 0; }
  std::optional<std::uint32_t> version_of(const EventId& id) const;
  // Whether an event of one of these versions is here.
  bool needs(ScheduleId schedule, std::uint32_t first, std::uint32_t last) const;
  // Forgets what became of executions by `before`; returns of how many.
  std::uint64_t prune(StoreTime before, std::uint64_t limit);
  void hash(Hasher& hasher) const;

 private:
  struct Ended {
    std::uint32_t attempt = 0;
    std::uint64_t nonce = 0;
    Standing how = Standing::completed;
    StoreTime at;
  };
  using Rows = std::map<std::uint64_t, WaitingRow>;

  // nullptr when it is not here.
  WaitingRow* find(const EventId& id);
  Left take(Rows::iterator it);
  // It is gone, and if it was tried, that is remembered.
  Left finish(Rows::iterator it, Standing how, StoreTime now);
  bool may_be_claimed(std::uint64_t seq, const WaitingRow& row, StoreTime now, bool held) const;
  // REQUIRES: its rules allow one at a time.
  bool is_its_turn(std::uint64_t seq, const WaitingRow& row, StoreTime now, bool held) const;
  // Of a topic: what was tried for the last time, or was replaced, and timed out since.
  void settle(const std::string& topic, StoreTime now, bool held, std::vector<Left>& left);
  // What is known of an attempt that is not the last one of an event that is here.
  ExecutionState remembered(const ExecutionToken& token) const;

  Rows rows_;  // by number
  EventMap<std::uint64_t> seq_of_;
  std::map<ScheduleId, std::set<std::uint64_t>> by_schedule_;
  std::map<EventId, Ended> ended_;
  std::size_t pushes_ = 0;                    // of rows_
  StoreTime latest_from_ = StoreTime::min();  // of any attempt, past ones included
};

}  // namespace tenure::reference
