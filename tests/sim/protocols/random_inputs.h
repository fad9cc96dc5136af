// Arbitrary inputs for an elector: timers due and not due, answers fitting and absurd, messages, clock jumps.
//
// Each number in a list becomes one input, so that a property's counterexample shrinks to few inputs.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/hash.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/record/requests.h"
#include "tests/core/lease/elector_harness.h"
#include "tests/sim/protocols/families.h"

namespace tenure::testing {

// Small numbers drawn from one code, by purpose.
class Dice {
 public:
  explicit Dice(std::uint64_t code) : code_(code) {}
  std::uint64_t roll(std::uint64_t n) { return reduce(Hasher{code_}.add(++rolls_).value(), n); }
  template <class T, std::size_t kSize>
  T pick(const T (&options)[kSize]) {
    return options[roll(kSize)];
  }

 private:
  std::uint64_t code_;
  std::uint64_t rolls_ = 0;
};

inline Duration some_duration(Dice& dice) {
  constexpr Duration kOptions[] = {-Duration::seconds(1), Duration{},
                                   Duration::micros(5),   Duration::seconds(3),
                                   Duration::seconds(15), Duration::seconds(15),
                                   Duration::hours(1),    Duration::hours(1'000'000)};
  return dice.pick(kOptions);
}

inline Incarnation some_incarnation(Dice& dice, Incarnation self) {
  const Incarnation options[] = {self, self, Incarnation{NodeId{1}, 1}, Incarnation{}};
  return dice.pick(options);
}

inline Token some_token(Dice& dice) {
  return Token{static_cast<std::uint32_t>(dice.roll(2)), dice.roll(4), dice.roll(3)};
}

inline Reply some_reply(Dice& dice, const ScriptedEnv& world) {
  const Incarnation self = world.self();
  switch (dice.roll(9)) {
    case 0:
    case 1: return reference::Reply{reference::Granted{some_token(dice), some_duration(dice)}};
    case 2:
      return reference::Reply{reference::Refused{static_cast<reference::Denial>(dice.roll(7)),
                                                 some_incarnation(dice, self), dice.roll(4),
                                                 some_duration(dice)}};
    case 3: return reference::Reply{reference::Released{}};
    case 4: {
      const WallTime expires = world.wall_now() + some_duration(dice) - Duration::seconds(2);
      return lease_table::Reply{lease_table::Locked{StoreTime::from_ns(expires.ns())}};
    }
    case 5: return lease_table::Reply{lease_table::NoRow{}};
    case 6: {
      const WallTime renewed = world.wall_now() - Duration::seconds(static_cast<std::int64_t>(dice.roll(3)));
      return record::Reply{record::Found{
          dice.roll(4), {some_incarnation(dice, self), some_duration(dice), dice.roll(3), renewed, renewed}}};
    }
    case 7: return record::Reply{record::Stored{dice.roll(4)}};
    default: return dice.roll(2) == 0 ? record::Reply{record::NotFound{}} : record::Reply{record::Conflict{}};
  }
}

// A reply that the request could really get.
inline Reply fitting_reply(Dice& dice, const ScriptedEnv& world, const Request& request) {
  for (;;) {
    Reply reply = some_reply(dice, world);
    if (store_number(reply) == store_number(request)) return reply;
  }
}

inline Message some_message(Dice& dice) {
  constexpr const char* kKinds[] = {"token", "token-ack", "elect", "elect-ack", "hello"};
  constexpr std::int64_t kWords[] = {0, 1, 1, 2, 3, 4, 7, -1, INT64_MAX, INT64_MIN, 0x7fffffff, 0xffffffff};
  Message message{dice.pick(kKinds), {dice.pick(kWords), dice.pick(kWords)}};
  if (dice.roll(10) == 0) message.words.resize(dice.roll(4));
  return message;
}

// Turns a code into the next input, moving the world's clocks as it needs.
inline Input some_input(std::uint64_t code, ScriptedEnv& world) {
  Dice dice{code};
  switch (dice.roll(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      if (world.next_timer()) return world.fire_next();
      break;
    case 4:
      return TimerFired{TimerId{static_cast<Part>(dice.roll(2)), static_cast<std::uint8_t>(dice.roll(5))}};
    case 5:
    case 6:
    case 7:
    case 8: {
      if (world.outstanding().empty()) break;
      auto chosen = world.outstanding().begin();
      std::advance(chosen, dice.roll(world.outstanding().size()));
      const Requested asked = chosen->second;
      if (dice.roll(4) == 0) return world.unknown(asked.id);
      if (dice.roll(4) == 0) return world.rejected(asked.id);
      if (dice.roll(8) == 0) return world.applied(asked.id, some_reply(dice, world));
      return world.applied(asked.id, fitting_reply(dice, world, asked.submission.request));
    }
    case 9: {
      StoreReplied stray;
      stray.id = RequestId{world.self(), static_cast<std::uint32_t>(dice.roll(20))};
      stray.sent_at = world.now() - some_duration(dice);
      stray.outcome = RequestOutcome::applied;
      stray.reply = some_reply(dice, world);
      // Not one that is still to be answered: the driver answers once.
      if (!world.outstanding().contains(stray.id)) return stray;
      break;
    }
    case 10:
    case 11: return MessageReceived{NodeId{static_cast<std::uint32_t>(dice.roll(5))}, some_message(dice)};
    case 12: world.advance(Duration::millis(static_cast<std::int64_t>(dice.roll(30'000)))); break;
    case 13:
      world.set_wall(world.wall_now() + Duration::seconds(static_cast<std::int64_t>(dice.roll(20)) - 10));
      break;
    case 14:
      if (dice.roll(6) == 0) return StopAsked{};
      if (dice.roll(3) == 0) return Started{world.self(), 3};
      break;
    default: break;
  }
  return ChangeNotified{StoreId{}, {static_cast<Notification::What>(dice.roll(2)), ResourceId{}}};
}

}  // namespace tenure::testing
