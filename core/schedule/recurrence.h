// When a schedule is due: its slots, as a pure function of the recurrence.
//
// A slot is a nominal instant in store time. Slots follow only from the recurrence, never from when the last one ran.
// So no past event can make a schedule drift. Slots strictly increase.
//
// Other rooms use only the functions below and those of definition.h.
//
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/hash.h"
#include "core/base/time.h"
#include "core/schedule/cron_rule.h"

namespace tenure {

// Slot n is start + n * period, exactly. REQUIRES: period is positive and in whole microseconds.
struct Interval {
  StoreTime start;
  Duration period;
  bool operator==(const Interval&) const = default;
};

// A list of instants; a single instant is a one-off. REQUIRES: at is not null, not empty, and goes up.
struct Times {
  std::shared_ptr<const std::vector<StoreTime>> at;
  bool operator==(const Times& other) const { return *at == *other.at; }
};

using Recurrence = std::variant<Interval, CronRule, Times>;

// The first slot at or after `from`; nullopt when there is none.
std::optional<StoreTime> slot_at_or_after(const Recurrence& recurrence, StoreTime from);

// The first slot strictly after `slot`; nullopt when there is none.
std::optional<StoreTime> slot_after(const Recurrence& recurrence, StoreTime slot);

// The last slot strictly before `to`; nullopt when there is none.
std::optional<StoreTime> slot_before(const Recurrence& recurrence, StoreTime to);

// How many slots there are in [from, to). Costs no more than a few searches, however many there are.
std::int64_t count_slots(const Recurrence& recurrence, StoreTime from, StoreTime to);

void add(Hasher& hasher, const Recurrence& recurrence);

}  // namespace tenure
