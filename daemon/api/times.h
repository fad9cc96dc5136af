// Times as the API writes them.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "core/base/time.h"
#include "core/schedule/time_zone.h"

namespace tenure::daemon {

// "2026-11-24T14:00:00.000000Z".
std::string print_utc(StoreTime time);
// "9.8s": a time that is left, in milliseconds.
std::string print_left(Duration left);
// "2026-11-24T15:00:00+01:00", with decimals if there are any.
std::string print_local(StoreTime time, const TimeZone& zone);

}  // namespace tenure::daemon
