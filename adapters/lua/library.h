// The functions of Lua that a design has, and what stands in place of the others.
//
// Thread rule: the thread of the lua_State.
#pragma once

struct lua_State;

namespace tenure::lua {

// Call once a state, whose allocator is a sandbox.
void open_library(lua_State* state);

}  // namespace tenure::lua
