// The events that this instance has begun to deliver and that the store still holds: those that its own program works
// on, or those of one destination.
//
// An event stays here from its execution until the store has acknowledged its removal from the outbox, across
// leaderships. So an event that is read from the outbox meanwhile is not executed a second time.
//
// Work that failed, or that the resource refused for its token or because it runs at another instance, waits here to
// be begun again: first for `retry`, then for twice as long each time, up to `longest`. Other events wait for it only
// if their schedule's work may not overlap. After `attempts` failures under one token, or when it fails `age` after
// its first attempt under that token, it is given up: the store keeps its event as a dead one.
//
// A give-up names the event's number in the store. If the store shows the event under another one since, an operator
// has had it replayed, and it begins anew. Work that begins at its commit has no number before a page of the outbox
// shows it: until then, the store cannot be told that it is dead.
//
// An attempt of which nothing was sent is no failure: a destination that the configuration does not name has refused
// nothing. It waits like one, and only its age ends it.
//
// A destination can ask for a longer wait. It is for this event alone, and at most kLongestAsked. If the event had its
// `age` by then, it is given up at once: there will be no attempt that it could be for.
//
// What runs elsewhere is asked for as soon as a worker is free, whatever else waits: a resource that refuses does so
// within kAnswer, and otherwise the work has begun. If it could not be asked in time, nobody knows whether it still
// runs until the answer is there.
//
// Invariants:
//   1. running_ counts the entries that run.
//   2. delivered_, given_up_ and unnumbered_ name those that are over, in the order in which they came to that:
//      unnumbered_ those to be given up that have no number yet. taken_ names those of which the store is being told.
//   3. retries_ names the entries that wait, but asks_ those that ran elsewhere; answers_ names those that run and are
//      unknown; each with its `next`.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fold.h"
#include "core/base/ids.h"
#include "core/model/input.h"
#include "core/model/node.h"
#include "core/store/reference/event_map.h"
#include "core/store/reference/requests.h"

namespace tenure {

class Deliveries {
 public:
  static constexpr Duration kLongest = Duration::seconds(60);
  static constexpr Duration kAnswer = Duration::seconds(1);
  static constexpr Duration kLongestAsked = Duration::hours(24);

  struct Policy {
    Duration retry = Duration::seconds(1);
    std::uint32_t attempts = 1;
    Duration longest = kLongest;
    Duration age = Duration::max();
    // A wait is drawn from its upper half, by event and attempt: what failed together does not come back together.
    bool spread = false;
    std::uint32_t before = 0;  // so many attempts were made before an operator had the event replayed
  };

  struct Attempt {
    reference::EventId event;
    std::uint64_t sequence = 0;  // the event's number in the outbox; 0: begin() was not told
    std::uint32_t number = 1;    // from 1, or after those before a replay, under this token
  };
  using Attempts = std::vector<Attempt>;

  // False when the event is here already, and must not be executed again.
  bool begin(const Attempt& first, const Token& token, MonoTime now, const Policy& policy);
  bool holds(const reference::EventId& event) const { return entries_.find(event) != nullptr; }
  // The store shows it under this number. What was given up under another one is forgotten.
  void shown(const reference::EventId& event, std::uint64_t sequence);
  // Others have to do this event. What its attempt ends as does not count: it is forgotten, at once if none is under
  // way. Returns whether it is. What the store is being told of it says who has had it, and takes it from nobody else.
  bool disown(const reference::EventId& event);
  enum class Finish : std::uint8_t {
    not_here,   // not an event that runs
    delivered,  // to be acknowledged
    waits,      // to be begun again
    given_up,   // it failed too often: the store is to keep it as dead
    lost,  // to be begun again if the outbox shows it: its branch of the store is gone, or it was disowned
  };
  // The work came back. `token`: this instance's token now, if it leads. Work that was refused under an older token is
  // begun again at once.
  Finish finish(const WorkDone& done, const std::optional<Token>& token, MonoTime now);
  // At most `limit` of them to begin again now, those that have been due longest first. From now on they run under
  // `token`.
  Attempts take_retries(MonoTime now, std::size_t limit, const Token& token);
  // The same for events that ran elsewhere. Call it whenever next_ask() or next_answer() has come.
  Attempts take_asks(MonoTime now, std::size_t limit, const Token& token);
  // When the next event is due to be begun again, and when the next that ran elsewhere; max() for none.
  MonoTime next_retry() const { return first_of(retries_); }
  MonoTime next_ask() const { return first_of(asks_); }
  // When the next event that is unknown has begun, if it is not refused before; max() for none.
  MonoTime next_answer() const { return first_of(answers_); }
  // Forgets the events that wait, and those that were given up and not acknowledged. The outbox still has them, for the
  // next leader.
  void forget_waiting();

  // The events to acknowledge now, in the order in which they came back, at most `limit`; and those to give up. Neither
  // while others are taken and nothing is known of them.
  std::vector<reference::EventId> take_delivered(std::size_t limit);
  std::vector<reference::DeadEvent> take_given_up(std::size_t limit);
  // What became of the events that were taken last: gone from the store; or to be taken again, but what was given up
  // under another token than `token` is forgotten. False if some were.
  void acknowledged();
  bool not_acknowledged(const std::optional<Token>& token);

  std::size_t running() const { return running_; }
  enum class Overlap : std::uint8_t { none, unknown, runs };
  // Whether work of `schedule` for a slot before `end` is running, or waits.
  Overlap overlap(ScheduleId schedule, StoreTime end) const;
  // Whether an event of `schedule` with a number below `sequence` is here that is neither delivered nor known to the
  // store as dead.
  bool unsettled_before(ScheduleId schedule, std::uint64_t sequence) const;
  std::size_t size() const { return entries_.size(); }
  // How many events are to be acknowledged or given up, and how many of them to be given up.
  std::size_t done() const { return delivered_.size() + given_up_.size(); }
  std::size_t given_up() const { return given_up_.size(); }
  // Whether some are to be given up as soon as the outbox has shown them.
  bool lacks_numbers() const { return !unnumbered_.empty(); }
  bool empty() const { return entries_.empty(); }
  void hash(auto& sink) const { fold(sink, entries_); }

 private:
  enum class State : std::uint8_t { running, done, acknowledging, waiting };
  struct Entry {
    Token token;
    State state = State::running;
    MonoTime first = MonoTime::min();  // when it was first begun under this token
    Policy policy = {};
    std::uint64_t sequence = 0;
    std::uint32_t attempts = 1;  // begun so often under this token
    std::uint32_t tries = 0;     // attempts that were refused or failed: each makes the next wait longer
    std::uint32_t failures = 0;  // how many of these failed, under this token
    bool disowned = false;
    bool dead = false;                // given up after these failures
    bool elsewhere = false;           // it ran elsewhere when it was asked for last
    bool unknown = false;             // likewise, and no worker was free when it was to be asked for again
    MonoTime next = MonoTime::max();  // invariant 3
    std::string why = {};             // it failed last
    void hash(auto& sink) const {
      fold(sink, token, state, tries, failures, dead, next, elsewhere, unknown, attempts, first, why,
           sequence, disowned);
    }
  };
  using Events = std::vector<reference::EventId>;
  using Waits = std::set<std::pair<MonoTime, reference::EventId>>;
  static MonoTime first_of(const Waits& waits) {
    return waits.empty() ? MonoTime::max() : waits.begin()->first;
  }
  static bool is_open(const Entry& entry) {
    return entry.state == State::running || entry.state == State::waiting;
  }
  static Duration wait_before_next(const reference::EventId& event, const Entry& entry);
  Attempts take(Waits& waits, MonoTime now, std::size_t limit, const Token& token);
  // Where invariant 2 wants one that is over.
  Events& list_of(const Entry& entry) {
    return !entry.dead ? delivered_ : entry.sequence != 0 ? given_up_ : unnumbered_;
  }
  // Moves at most `limit` of `events`, which are over, to taken_, and returns them.
  Events take_done(Events& events, std::size_t limit);

  reference::EventMap<Entry> entries_;
  std::size_t running_ = 0;
  Events delivered_;
  Events given_up_;
  Events unnumbered_;
  Events taken_;
  Waits retries_;
  Waits asks_;
  Waits answers_;
};

}  // namespace tenure
