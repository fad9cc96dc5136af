// A schedule as clients write and read it: docs/daemon.md, "A schedule".
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/time_zone.h"
#include "core/store/reference/named.h"
#include "daemon/api/json.h"
#include "daemon/api/problem.h"

namespace tenure::daemon {

inline constexpr std::size_t kMostTimes = 10'000;  // of a schedule

// What a client says of a schedule.
struct ScheduleBody {
  Definition definition;
  reference::Payload payload;
};

// nullopt, and errors, if anything is wrong. `name`: the path's, or, in a list, the item's own. `more_keys`: the reader
// of a list takes them from the same object. `destinations`: those that a schedule may name.
std::optional<ScheduleBody> read_schedule(const Json& object, const std::string& pointer,
                                          const std::string& name, const TimeZones& zones,
                                          const std::vector<std::string>& destinations,
                                          std::span<const std::string_view> more_keys,
                                          std::vector<FieldError>& errors);

struct ShownParts {
  bool data = true;
};
// With its status at `now`, from which `next` counts.
Json json_of(const reference::NamedSchedule& schedule, StoreTime now, ShownParts parts);

// "active", "paused", "finished", "unreadable".
std::string_view state_of(const reference::NamedSchedule& schedule, StoreTime now);
// The first slot at or after `now`; nullopt also when it cannot be read.
std::optional<StoreTime> next_slot(const reference::NamedSchedule& schedule, StoreTime now);

Json data_of(const reference::Payload& payload);  // REQUIRES: there is some
Json labels_of(const reference::Payload& payload);

// `"7.3"`, with its quotes.
std::string etag_of(const reference::Edition& edition);

}  // namespace tenure::daemon
