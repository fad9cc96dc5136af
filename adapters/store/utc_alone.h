// No time zones but UTC: for stores that keep leases and no schedules, or schedules in UTC.
//
// Thread rule: immutable; any thread.
#pragma once

#include "core/schedule/time_zone.h"

namespace tenure {

const TimeZones& utc_alone();

}  // namespace tenure
