// What the store has handed out to workers, by its own answers: of each event the last attempt, and how long its claim
// stands (docs/executions.md).
//
// A failover takes it back to what the replica knew: claims that were lost are unknown then. Of attempts that are over,
// the last ones are remembered.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/store/reference/waiting.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/routed_schedules.h"
#include "sim/world/record.h"

namespace tenure::sim {

// One attempt, as far as answers tell.
struct KnownAttempt {
  enum class State : std::uint8_t { claimed, failed, released, completed, dead, replaced };
  std::uint32_t number = 0;
  std::uint64_t nonce = 0;
  Incarnation who;
  State state = State::claimed;
  StoreTime from;   // claimed: the claim, or its last extension, stands in [from, until);
  StoreTime until;  // failed: the event waits in it; otherwise, it was over at `from`
  // It was the last one, and a claim on any event has found that this one's is over. Nobody is told that.
  bool may_be_dead = false;
  bool is_dead = false;                      // there is no doubt about it
  std::vector<std::uint32_t> released = {};  // the attempts up to this one that were given back, in order
  bool gives_way = false;     // to a later event: a heartbeat was told so, or its slot fired meanwhile
  std::uint64_t seq = 0;      // of its event, in the order in which events are handed out
  bool may_give_way = false;  // likewise, if its slot fired by a version that replaces
  bool may_be_gone = false;   // nobody worked on it when a slot fired that may have taken its place

  bool is_of(const reference::ExecutionToken& token) const {
    return number == token.attempt && nonce == token.nonce;
  }
  bool is_over() const { return state > State::released; }
  // How many attempts count when the event has had so many: each but those of them that were given back.
  std::uint32_t spent_of(std::uint32_t attempts) const {
    const auto later = std::upper_bound(released.begin(), released.end(), attempts);
    return attempts - static_cast<std::uint32_t>(later - released.begin());
  }
  std::uint32_t spent() const { return spent_of(number); }
  // The clock went back behind it, or is right again after a hold.
  void count_again(StoreTime now) {
    until = now + (until - from);
    from = now;
  }
};

class ExecutionTracker {
 public:
  explicit ExecutionTracker(const RoutedSchedules& routed) : routed_(routed) {}

  bool held() const { return known_.held; }
  // nullptr: nobody has claimed it, since an operator put it back if one has.
  const KnownAttempt* find(const reference::EventId& event) const {
    const auto open = known_.open.find(event);
    if (open != known_.open.end()) return &open->second;
    const auto over = known_.over.find(event);
    return over != known_.over.end() ? &over->second : nullptr;
  }
  // Whether it may know nothing of an attempt because it has forgotten it.
  bool has_forgotten() const { return known_.forgot; }
  // Nothing times out during a hold.
  bool stands(const KnownAttempt& attempt, StoreTime now) const {
    return attempt.state == KnownAttempt::State::claimed && !attempt.may_be_dead && !attempt.may_be_gone &&
           (known_.held || now < attempt.until);
  }
  // Likewise, of one that may be dead or gone, too: if it is not, its claim stands again during a hold.
  bool may_stand(const KnownAttempt& attempt, StoreTime now) const {
    return attempt.state == KnownAttempt::State::claimed && !attempt.is_dead &&
           (known_.held || now < attempt.until);
  }
  // Calls see(event, attempt) for those of the schedule that are not over.
  template <class See>
  void for_each_open(ScheduleId schedule, See&& see) const {
    for (auto it = known_.open.lower_bound({schedule, StoreTime::min(), 0});
         it != known_.open.end() && it->first.schedule == schedule; ++it)
      see(it->first, it->second);
  }
  // Calls see(event, attempt) for those of the schedule whose claim stands.
  template <class See>
  void for_each_standing(ScheduleId schedule, StoreTime now, See&& see) const {
    for_each_open(schedule, [&](const reference::EventId& event, const KnownAttempt& attempt) {
      if (stands(attempt, now)) see(event, attempt);
    });
  }
  // Calls see(event, attempt) for those of the topic that were given back, that nobody has claimed since, and whose
  // place no later event has taken.
  template <class See>
  void for_each_given_back(std::string_view topic, See&& see) const {
    for (const auto& [event, attempt] : known_.open)
      if (attempt.state == KnownAttempt::State::released && !attempt.may_be_gone &&
          routed_.topic(event.schedule) == topic)
        see(event, attempt);
  }
  // The store may have forgotten what became of it.
  bool may_be_pruned(const KnownAttempt& attempt) const {
    return attempt.is_over() && attempt.from <= known_.pruned;
  }

  // A claim on a topic is asked for. Of attempts that the clock went back behind, nobody knows how much is used up:
  // they are counted again. Call it before the answer is judged.
  void begin_claim(std::string_view topic, StoreTime now) {
    found_dead_.clear();
    const bool went_back = now < known_.latest;
    for (auto& [event, attempt] : known_.open) {
      if (went_back && now < attempt.from) attempt.count_again(now);
      const bool is_claimed = attempt.state == KnownAttempt::State::claimed;
      if (routed_.topic(event.schedule) != topic) continue;
      if (is_claimed && attempt.may_give_way && !stands(attempt, now)) attempt.may_be_gone = true;
      const bool was_last = attempt.spent() >= routed_.least_attempts(event.schedule);
      if (attempt.may_be_dead || !is_claimed || !was_last || stands(attempt, now)) continue;
      attempt.may_be_dead = true;
      found_dead_.push_back(event);
    }
    if (went_back) known_.latest = now;
    // One claim finds out so many, and no more.
    known_.lags = known_.lags || found_dead_.size() > reference::kSettledAtOnce;
    for (const reference::EventId& event : found_dead_) {
      KnownAttempt& attempt = known_.open.at(event);
      attempt.is_dead = !known_.lags && attempt.spent() >= routed_.most_attempts(event.schedule);
    }
  }

  // Those of which the last claim that was asked for has found that they may be dead.
  const std::vector<reference::EventId>& found_dead() const { return found_dead_; }

  void see(const Record& record);

 private:
  using Attempts = std::map<reference::EventId, KnownAttempt>;
  struct Known {
    Attempts open;  // claimed, failed or given back
    Attempts over;
    std::deque<reference::EventId> over_in_order;
    bool forgot = false;
    bool lags = false;  // a claim left some that are over to later ones
    bool held = false;
    StoreTime pruned = StoreTime::min();
    StoreTime latest = StoreTime::min();  // `from` of any that was ever open
  };
  static constexpr std::size_t kRemembered = 20'000;

  void take(const Applied& applied);
  void take_claimed(const Applied& applied, Duration length);
  void take_states(const Applied& applied);
  void take_hold(const reference::HoldSet& hold, StoreTime now);
  // A slot of a schedule fires that may replace what waits.
  void take_place_of_earlier(ScheduleId schedule, StoreTime now);
  void extend(const reference::ExecutionToken& token, const reference::ExecutionState& state, StoreTime now,
              Duration length);
  void end(const reference::ExecutionToken& token, const reference::ExecutionState& state, StoreTime now);
  void finish(Attempts::iterator open, KnownAttempt::State how, StoreTime now);
  // end(): the event's last attempt is another, or is over.
  Attempts::iterator open_of(const reference::ExecutionToken& token);

  RoutedSchedules routed_;
  Known known_;
  std::vector<reference::EventId> found_dead_;
  std::optional<Known> replica_;
};

}  // namespace tenure::sim
