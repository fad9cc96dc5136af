// When a schedule is due: its slots, as a pure function of the definition.
//
// A slot is a nominal instant in store time. Slots follow from the definition alone, never from when the last
// one ran, so that nothing that happened before can make a schedule drift.
//
// The one recurrence so far is the fixed interval. Cron, lists of times and one-offs become further
// alternatives of Recurrence; everything outside this room uses only the functions below.
//
// Thread rule: values and pure functions.
#pragma once

#include <optional>
#include <variant>

#include "core/base/hash.h"
#include "core/base/time.h"

namespace tenure {

// Slot n is start + n * period, exactly. REQUIRES: period is positive and in whole microseconds.
struct Interval {
  StoreTime start;
  Duration period;
  bool operator==(const Interval&) const = default;
};

using Recurrence = std::variant<Interval>;

// The first slot at or after `from`; nullopt when there is none.
std::optional<StoreTime> slot_at_or_after(const Recurrence& recurrence, StoreTime from);

// The first slot strictly after `slot`; nullopt when there is none.
std::optional<StoreTime> slot_after(const Recurrence& recurrence, StoreTime slot);

// The last slot strictly before `to`; nullopt when there is none.
std::optional<StoreTime> slot_before(const Recurrence& recurrence, StoreTime to);

// What becomes of a slot that is found due later than `grace` after its time.
struct Misfire {
  enum class Policy : std::uint8_t {
    fire_all,   // every late slot fires, in order
    fire_once,  // the latest late slot fires; those before it are coalesced into it
    skip,       // late slots are recorded as missed
  };
  Policy policy = Policy::fire_all;
  Duration grace = Duration::seconds(60);
  bool operator==(const Misfire&) const = default;
};

// A schedule as its owner wrote it; what a version of it is a version of.
struct Definition {
  Recurrence recurrence;
  Misfire misfire;
  bool paused = false;  // while paused, slots are recorded as suppressed and nothing fires
  bool operator==(const Definition&) const = default;
};

void add(Hasher& hasher, const Definition& definition);

}  // namespace tenure
