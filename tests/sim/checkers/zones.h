// Time zones for tests: real ones, typed in, and made-up ones with every kind of clock change.
//
// Thread rule: immutable once made.
#pragma once

#include <memory>
#include <vector>

#include "core/schedule/time_zone.h"

namespace tenure::sim {

using Zone = std::shared_ptr<const TimeZone>;

Zone berlin();       // 2023 to 2026, and winter ever after
Zone new_york();     // likewise
Zone lord_howe();    // likewise: half an hour
Zone apia();         // 2010 to 2013: it left out 30 December 2011
Zone sao_paulo();    // 2016 to 2019: changed at midnight
Zone berlin_1945();  // two hours at a time
Zone monrovia();     // 44 minutes and a half, once

// Those, and UTC.
std::vector<Zone> real_zones();

}  // namespace tenure::sim
