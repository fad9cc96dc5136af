// Which events that others deliver are in the store, and what it has handed out to workers, as its answers tell: of
// each event the last attempt, and how long its claim stands (docs/executions.md).
//
// The rules are those of the version that fired an event. So nothing is left to guess: what dies, or gives way to a
// later event, without anybody being told, is known here all the same.
//
// A failover takes it back to what the replica knew: claims that were lost are unknown then.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/store/reference/event_map.h"
#include "core/store/reference/waiting.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/event_rules.h"
#include "sim/checkers/trackers/routed_schedules.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/checkers/trackers/unread_changes.h"
#include "sim/world/record.h"

namespace tenure::sim {

// One attempt at an event that is in the store.
struct KnownAttempt {
  enum class State : std::uint8_t { claimed, failed, released };
  std::uint32_t number = 0;
  std::uint64_t nonce = 0;
  Incarnation who;
  State state = State::claimed;
  StoreTime from;          // claimed: the claim, or its last extension, stands in [from, until);
  StoreTime until;         // failed: the event waits in it; given back: it was so at `from`
  bool gives_way = false;  // to a later event: that has fired while the claim stood
  std::vector<std::uint32_t> released = {};  // the attempts up to this one that were given back, in order

  bool is_of(const reference::ExecutionToken& token) const {
    return number == token.attempt && nonce == token.nonce;
  }
  // How many attempts count when the event has had so many: each but those of them that were given back.
  std::uint32_t spent_of(std::uint32_t attempts) const {
    const auto later = std::upper_bound(released.begin(), released.end(), attempts);
    return attempts - static_cast<std::uint32_t>(later - released.begin());
  }
  std::uint32_t spent() const { return spent_of(number); }
  // Of the claim, or of the wait.
  Duration length() const { return until - from; }
  // The clock went back behind it, or is right again after a hold.
  void count_again(StoreTime now) {
    until = now + length();
    from = now;
  }
};

// How an event that had attempts has left the store.
struct EndedAttempt {
  std::uint32_t number = 0;  // the last one
  std::uint64_t nonce = 0;
  reference::Standing how = reference::Standing::completed;
  StoreTime at;

  bool is_of(const reference::ExecutionToken& token) const {
    return number == token.attempt && nonce == token.nonce;
  }
};

class ExecutionTracker {
 public:
  // `rules` must outlive it.
  ExecutionTracker(RoutedSchedules routed, const EventRules& rules)
      : routed_(std::move(routed)), rules_(rules) {}

  std::string_view topic(ScheduleId schedule) const { return routed_.topic(schedule); }
  // The last attempt; nullptr: the event is not there, or nobody has claimed it, since an operator put it back if one
  // has.
  const KnownAttempt* find(const reference::EventId& event) const {
    const auto open = known_->open.find(event);
    return open != known_->open.end() ? &open->second : nullptr;
  }
  // An operator put it back after so many attempts, which do not count: the numbers go on from there. Else 0.
  std::uint32_t put_back_after(const reference::EventId& event) const {
    const std::uint32_t* attempts = known_->put_back.find(event);
    return attempts != nullptr ? *attempts : 0;
  }
  // How it has left the store; nullptr: it is there, or has never had an attempt.
  const EndedAttempt* ended(const reference::EventId& event) const { return known_->ended.find(event); }
  bool is_here(const reference::EventId& event) const { return known_->here.find(event) != nullptr; }
  // In the order of commits; 0: it is not there.
  std::uint64_t position(const reference::EventId& event) const {
    const Here* here = known_->here.find(event);
    return here != nullptr ? here->position : 0;
  }
  // REQUIRES: it is here.
  const EventRules::Rules& rules(const reference::EventId& event) const {
    return *known_->here.find(event)->rules;
  }
  using Events = std::map<std::uint64_t, reference::EventId>;  // by position
  // Of one schedule, pulled or pushed.
  const Events& of_schedule(ScheduleId schedule) const {
    static const Events kNone;
    const auto found = known_->by_schedule.find(schedule);
    return found != known_->by_schedule.end() ? found->second : kNone;
  }
  // All that are pulled.
  const Events& pulled() const { return known_->pulled; }

  // Nothing times out during a hold.
  bool stands(const KnownAttempt& attempt, StoreTime now) const {
    return attempt.state == KnownAttempt::State::claimed && (known_->held || now < attempt.until);
  }
  // Of an event that has to be alone: whether it has to wait while there is work at this other one of its schedule,
  // because that comes first, or has to be alone, too.
  bool has_to_wait_for(const reference::EventId& event, const reference::EventId& other) const {
    return other != event && is_here(other) &&
           (position(other) < position(event) || rules(other).one_at_a_time());
  }
  // The store may have forgotten how it has left.
  bool may_be_pruned(const EndedAttempt& ended) const { return ended.at <= known_->pruned; }

  // A claim on a topic is asked for. Of attempts that the clock went back behind, nobody knows how much is used up:
  // they are counted again. Of the topic, what had its last attempt, or gives way, is over if its claim is. Call it
  // before the answer is judged, and see() for the same record afterwards.
  void begin_claim(TrueTime at, const reference::ClaimExecutions& claim, StoreTime now);

  // What has left the store, and where it was. A reader that is shown each record of kReads misses none.
  struct Left {
    reference::EventId event;
    std::uint64_t position = 0;
    const EventRules::Rules* rules = nullptr;
    TrueTime at;
  };
  std::span<const Left> left_since(std::uint64_t& read) const { return left_.since(read); }

  static constexpr std::uint32_t kReads = record_mask<Applied, StoreReplicaStalled, StoreFailedOver>();
  // Its rules have seen the record.
  void see(TrueTime at, const Record& record);

 private:
  using Attempts = std::map<reference::EventId, KnownAttempt>;
  struct Here {
    std::uint64_t position = 0;
    // As it was committed last for others. For a reader that knows of no failover, this may be another time than the
    // one that EventRules knows of: when the store went back, it has become work of the leader's own.
    const EventRules::Rules* rules = nullptr;
  };
  struct Known {
    Attempts open;
    reference::EventMap<EndedAttempt> ended;
    reference::EventMap<Here> here;
    std::map<ScheduleId, Events> by_schedule;
    Events pulled;
    std::set<reference::EventId> dead;            // an operator may put them back
    reference::EventMap<std::uint32_t> put_back;  // the attempts before that
    bool held = false;
    StoreTime pruned = StoreTime::min();
    StoreTime latest = StoreTime::min();  // `from` of any that was ever open
  };

  void take(const Applied& applied);
  void take_committed(StoreTime now);
  void take_claimed(const Applied& applied, Duration length);
  void take_states(const Applied& applied);
  void take_hold(const reference::HoldSet& hold, StoreTime now);
  void commit(const reference::EventId& event);
  void add(const reference::EventId& event);
  // A slot of the schedule fires that takes the place of earlier ones.
  void take_place_of_earlier(ScheduleId schedule, StoreTime now);
  void extend(const reference::ExecutionToken& token, const reference::ExecutionState& state, StoreTime now,
              Duration length);
  void end(const reference::ExecutionToken& token, const reference::ExecutionState& state, StoreTime now);
  void finish(const reference::EventId& event, reference::Standing how, StoreTime now);
  // end(): the event's last attempt is another, or it is over.
  Attempts::iterator open_of(const reference::ExecutionToken& token);

  RoutedSchedules routed_;
  const EventRules& rules_;
  std::uint64_t position_ = 0;
  StoreHistory<Known> known_;
  TrueTime at_;  // of the last record
  UnreadChanges<Left> left_;
};

}  // namespace tenure::sim
