// An execution as clients name it: "7.1795483800000000.0.2.8231": schedule, slot in microseconds, run, attempt, nonce.
// Internal to this room.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/store/reference/executions.h"

namespace tenure::daemon {

std::string id_of(const reference::ExecutionToken& token);
std::optional<reference::ExecutionToken> read_execution_id(std::string_view text);

}  // namespace tenure::daemon
