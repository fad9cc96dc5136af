// A schedule as its owner wrote it: its recurrence, its bounds, and what to do with late slots.
//
// Thread rule: values and pure functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/fold.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/schedule/recurrence.h"

namespace tenure {

// A slot that is found due more than `grace` after its time is late. This says what becomes of it.
struct Misfire {
  enum class Policy : std::uint8_t {
    fire_all,   // every late slot fires, in order
    fire_once,  // one late slot fires; the others are coalesced into it
    skip,       // late slots are recorded as missed
  };
  enum class Which : std::uint8_t { latest, earliest };

  Policy policy = Policy::fire_all;
  Which once = Which::latest;  // fire_once: the slot that fires
  Duration grace = Duration::seconds(60);
  // Late slots older than this are missed, whatever the policy.
  Duration catchup_window = Duration::max();
  // fire_all: at most this many late slots fire, the latest ones; earlier ones are missed. Positive. The default is
  // kUsualCatchup: a schedule that was down for a month does not fire thousands of times when it returns. The default
  // also holds for stored definitions without a value (docs/adr/0037).
  std::int64_t max_catchup = kUnsaid;
  static constexpr std::int64_t kUnsaid = INT64_MAX;
  static constexpr std::int64_t kNoLimit = INT64_MAX - 1;
  static constexpr std::int64_t kUsualCatchup = 100;

  // How many late slots may fire, given or by default. Positive.
  std::int64_t catchup_limit() const {
    if (policy != Policy::fire_all) return kNoLimit;
    return max_catchup == kUnsaid ? kUsualCatchup : std::max<std::int64_t>(max_catchup, 1);
  }

  bool operator==(const Misfire&) const = default;
};

// Spreads fires of schedules that share a slot. A slot's due time is the slot plus floor(h * m / 2^64), where h is a
// hash and m the lesser of `max` and the time to the next slot. So it is the same on every node and in every run, and
// always before the next slot. It never changes the slots themselves.
struct Jitter {
  enum class Per : std::uint8_t {
    slot,      // drawn anew for each slot: h = hash(seed, schedule, slot)
    schedule,  // the same for every slot of a schedule: h = hash(seed, schedule)
  };
  Duration max;  // zero: none
  Per per = Per::slot;
  std::uint64_t seed = 0;
  // The schedule in h, where it is not the one that has the definition: an audit numbers schedules anew.
  std::optional<ScheduleId> drawn_for = {};
  bool operator==(const Jitter&) const = default;
};

// What happens to a slot that is due while work of the same schedule still runs.
enum class Overlap : std::uint8_t {
  allow,      // it fires
  skip,       // it is recorded as suppressed
  queue_one,  // the first such slot waits until the work ends and then fires; others meanwhile are suppressed
  replace,    // pull alone: it fires, takes the place of one that waits, and asks the one that runs to stop
};

// How an event of the schedule comes to whoever does its work.
struct Delivery {
  enum class Kind : std::uint8_t {
    work,  // the process that leads does the work itself
    pull,  // it waits in the store until consumers claim it, or acknowledge it
    push,  // the process that leads sends it to `destination`
  };

  Kind kind = Kind::work;
  std::string destination = {};  // push: by its name in the configuration of whoever leads; otherwise empty
  bool strict_order =
      false;  // of the schedule's events, the next one waits until this one is over, retries included
  // pull and push: an event that has failed so often is dead. Between two attempts it waits for `back_off`, and then
  // for twice as long each time, up to `longest_back_off`. Both are positive, in whole microseconds.
  std::uint32_t attempts = 10;
  Duration back_off = Duration::seconds(1);
  Duration longest_back_off = Duration::seconds(300);

  bool operator==(const Delivery&) const = default;
  void hash(auto& sink) const {
    fold(sink, kind, destination, strict_order, attempts, back_off, longest_back_off);
  }
};
inline constexpr std::size_t kDestinationBytes = 120;
inline constexpr std::uint32_t kMostAttempts = 1'000'000;
inline constexpr Duration kLongestBackOff = Duration::hours(24 * 30);

// How long an event waits after the attempt `failed`, from 1.
Duration back_off_after(const Delivery& delivery, std::uint32_t failed);

struct Definition {
  Recurrence recurrence;
  StoreTime not_before = StoreTime::min();  // no slot before it …
  StoreTime until = StoreTime::max();       // … and none at it or after
  Jitter jitter = {};
  Misfire misfire = {};
  Overlap overlap = Overlap::allow;
  bool paused = false;  // while paused, slots are recorded as suppressed and nothing fires
  Delivery delivery = {};
  bool operator==(const Definition&) const = default;
};

// Like the functions of recurrence.h, within the definition's bounds.
std::optional<StoreTime> slot_at_or_after(const Definition& definition, StoreTime from);
std::optional<StoreTime> slot_after(const Definition& definition, StoreTime slot);
std::optional<StoreTime> slot_before(const Definition& definition, StoreTime to);
std::int64_t count_slots(const Definition& definition, StoreTime from, StoreTime to);
// The n-th last slot in [from, to); nullopt when there are fewer. Costs about sixty counts, however many slots there
// are. REQUIRES: n > 0.
std::optional<StoreTime> nth_slot_before(const Definition& definition, std::int64_t n, StoreTime from,
                                         StoreTime to);

// When a slot is due: the slot itself, or later by its jitter.
StoreTime due_time(const Definition& definition, ScheduleId schedule, StoreTime slot);

// What does not go together in how the schedule's events are delivered, in words; empty when all does. Whoever puts a
// definition asks first: the stores CHECK it.
std::string problem_of_delivery(const Definition& definition);

void add(Hasher& hasher, const Definition& definition);

}  // namespace tenure
