// A design's process begins, in a world where nothing happens: what can be said of it before it runs.
//
// Thread rule: any thread.
#pragma once

#include <string>

#include "adapters/lua/design.h"

namespace tenure::lua {

// Why it does nothing, for people: node() returns at once, and leaves no task, belief or request. Empty: it does
// something, or fails. It is the first of three instances, with the parameters as they are by default.
std::string idle_process(const Design& design);

}  // namespace tenure::lua
