// The host's clock, and what vouches for it: when the machine booted, which does not change. If the clock puts that
// moment elsewhere than it did when a resource was last written, it has jumped since, whether a program ran or not.
//
// Thread rule: values; any thread.
#pragma once

#include <optional>
#include <string>

#include "core/base/time.h"

namespace tenure::sqlite {

struct HostTime {
  StoreTime now;
  std::string boot = {};  // which boot of the machine; empty: nothing is known of it
  StoreTime booted = {};  // when that was, by this clock
};

HostTime host_time();

// What a clock may be off without an alarm: the scheduler's usual clock_tolerance.
inline constexpr Duration kClockTolerance = Duration::millis(500);
// After another boot nothing vouches for the clock but the time that has passed. If that is longer than this, the clock
// is in doubt: what is due is late by so much already, and a hold makes it later by no more than a tenth of that.
inline constexpr Duration kLongAway = Duration::seconds(600);

// How far the clock has jumped from one write to the next; nothing: it has not, as far as anybody can tell.
std::optional<Duration> jump_between(const HostTime& last, const HostTime& next);

}  // namespace tenure::sqlite
