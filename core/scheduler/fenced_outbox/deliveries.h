// The events that this instance has begun to deliver and the store still holds.
//
// An event stays here from its execution until the store has acknowledged its removal from the outbox, across
// leaderships: so that one which is read from the outbox meanwhile is not executed a second time.
//
// Invariants:
//   1. entries_ is sorted by (slot, schedule, run), the order in which events mostly come, and holds each once.
//   2. running_ and done_ count the entries in those states.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/model/input.h"
#include "core/store/house/requests.h"

namespace tenure {

class Deliveries {
 public:
  // False when the event is here already, and must not be executed again.
  bool begin(const house::EventId& event, const Token& token);
  bool holds(const house::EventId& event) const;
  // The work came back. Returns the token it was begun with if the resource refused that as stale: then the event
  // is not delivered, and no longer here. Anything else is delivered.
  std::optional<Token> finish(const house::EventId& event, WorkResult result);

  // Events to acknowledge now, the earliest first, at most `limit`.
  std::vector<house::EventId> take_done(std::size_t limit);
  // What became of those that were taken last: gone from the store, or to be acknowledged again.
  void acknowledged();
  void not_acknowledged();

  std::size_t running() const { return running_; }
  // Whether work of `schedule` for a slot before `end` is running. Looks at every event in hand.
  bool runs(ScheduleId schedule, StoreTime end) const;
  std::size_t done() const { return done_; }
  bool empty() const { return entries_.empty(); }
  void hash(Hasher& hasher) const;

 private:
  enum class State : std::uint8_t { running, done, acknowledging };
  struct Entry {
    house::EventId event;
    Token token;
    State state = State::running;
  };
  std::vector<Entry>::iterator place_of(const house::EventId& event);

  std::vector<Entry> entries_;
  std::size_t running_ = 0;
  std::size_t done_ = 0;
};

}  // namespace tenure
