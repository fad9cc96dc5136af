// A schedule's definition as text, as databases keep it.
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
//    "overlap":"allow","paused":false,
//    "delivery":{"kind":"pull","destination":…,"strict_order":true,"attempts":…,"back_off_ns":…,
//                "longest_back_off_ns":…}                    absent: the leader's own work; within it: as usual
//
// Times are microseconds since the Unix epoch, durations nanoseconds, seeds unsigned 64 bits. `catchup_ns` is absent if
// there is no limit, `max_catchup` if none was given (Misfire::kUsualCatchup). One definition has one text: two
// definitions are equal if their texts are.
//
// A zone is kept by its name and the version of its database. Decoding takes the zone of that name from the database at
// hand, whatever its version: the ledger decides which slots are covered (docs/adr/0007).
//
// Decoding is total: any bytes give a well-formed definition, or a reason.
//
// Thread rule: pure functions; a decoder has one owner.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/ids.h"
#include "core/schedule/definition.h"
#include "core/schedule/time_zone.h"
#include "core/store/reference/executions.h"

namespace tenure {

struct CodecError {
  std::string message;  // names the key: "cron.text: …"
};

// For people: names the schedule and version, and says what the error means for the schedule.
std::string warning_of(const CodecError& error, ScheduleId schedule, std::uint32_t version);

std::string encode(const Definition& definition);
std::variant<Definition, CodecError> decode_definition(std::string_view text, const TimeZones& zones);

// Decodes the definitions of one reply. Where schedules have the same text, it is decoded once, and they share what
// they are made of.
class DefinitionDecoder {
 public:
  // `zones` outlives it.
  explicit DefinitionDecoder(const TimeZones& zones);
  ~DefinitionDecoder();
  // Good until the decoder is destroyed.
  const std::variant<Definition, CodecError>& decode(std::string_view text);

 private:
  struct Parser;

  const TimeZones& zones_;
  std::unique_ptr<Parser> parser_;
  std::map<std::string, std::variant<Definition, CodecError>, std::less<>> decoded_;
};

// How a version's events are delivered, by itself: {"overlap":…,"delivery":…}. Decoding is total, too; what was written
// by encode() is given back.
std::string encode(const reference::DeliveryRules& rules);
reference::DeliveryRules decode_rules(std::string_view text);

}  // namespace tenure
