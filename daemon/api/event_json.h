// Events as clients read and name them; internal to this room.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/api/call.h"

namespace tenure::daemon {

// "7/1795483800000000/0": schedule, slot in microseconds, run.
std::string key_of(const reference::EventId& event);
std::optional<reference::EventId> read_key(std::string_view text);

// With its id, key, slot and run. `store`: its identity.
Json json_of(const reference::EventId& event, const std::string& store, ResourceId resource);
Json json_of(const reference::EventId& event, const Call& call);
// Adds what its schedule says of it.
void add_payload(Json& json, const reference::EventPayload& payload);

}  // namespace tenure::daemon
