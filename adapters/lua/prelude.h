// What `t` has that is itself written in Lua: events, deadlines, ticks.
//
// Thread rule: a constant.
#pragma once

#include "adapters/lua/chunk.h"

namespace tenure::lua {

// A function of `t`, to which it adds kInPrelude, and of what it needs for that (prelude.cc).
const Chunk& prelude();
inline constexpr std::string_view kInPrelude[] = {"event", "any", "deadline", "while_leading", "every"};

}  // namespace tenure::lua
