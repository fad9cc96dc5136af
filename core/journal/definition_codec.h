// A schedule's definition as text: what databases keep.
//
// JSON, for people and for other programs to read, version 1:
//
//   {"v":1,
//    "every":{"start_us":0,"period_us":60000000}             one of these three
//    "cron":{"text":"0 9 * * mon-fri","zone":"Europe/Berlin","tzdb":"2025b","gap":"gap_end","overlap":"first"}
//    "times_us":[1774746000000000]
//    "not_before_us":…, "until_us":…                          absent: no bound
//    "jitter":{"max_ns":…,"per":"slot","seed":…}              absent: none
//    "misfire":{"policy":"fire_all","once":"latest","grace_ns":…,"catchup_ns":…,"max_catchup":…}
//    "overlap":"allow","paused":false}
//
// Times are microseconds since the Unix epoch, durations nanoseconds, seeds unsigned 64 bits. `catchup_ns` is
// absent where there is no limit, `max_catchup` where none was said (Misfire::kUsualCatchup). One definition has one
// text, so that two are equal when their texts are.
//
// A zone is kept by its name and by the version of the database that it came from. Decoding takes the zone of that name
// from the database at hand, whatever its version: which slots are covered is the ledger's to say (docs/adr/0007).
//
// Decoding is total: any bytes give a definition that is well-formed, or the reason why not.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/ids.h"
#include "core/schedule/definition.h"
#include "core/schedule/time_zone.h"

namespace tenure {

struct CodecError {
  std::string message;  // names the key: "cron.text: …"
};

// For people: whose definition that is, and what that means for the schedule.
std::string warning_of(const CodecError& error, ScheduleId schedule, std::uint32_t version);

std::string encode(const Definition& definition);
std::variant<Definition, CodecError> decode_definition(std::string_view text, const TimeZones& zones);

}  // namespace tenure
