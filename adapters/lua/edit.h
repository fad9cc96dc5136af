// What a client sends to the store for a schedule of the scenario: a design's put_schedule and delete_schedule.
//
// They are called in a state of their own: a client is no process of the design, and keeps nothing.
//
// Thread rule: any thread.
#pragma once

#include <string>
#include <variant>

#include "adapters/lua/design.h"

namespace tenure::lua {

// The edit as a request to the design's store; or what is wrong with the design. REQUIRES: it schedules().
std::variant<Request, std::string> edit_request(const Design& design, const ScheduleEdit& edit);

}  // namespace tenure::lua
