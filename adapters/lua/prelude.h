// What `t` has that is itself written in Lua: events, deadlines, ticks.
//
// Thread rule: a constant.
#pragma once

#include "adapters/lua/chunk.h"

namespace tenure::lua {

// A function of `t`, which it adds to. It takes t.wait_for and t.wake for itself.
const Chunk& prelude();

}  // namespace tenure::lua
