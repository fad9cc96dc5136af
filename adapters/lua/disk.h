// t.disk: what a program keeps over a crash.
//
// Thread rule: as Host.
#pragma once

struct lua_State;

namespace tenure::lua {

// Leaves the table on the stack.
void push_disk(lua_State* state);

}  // namespace tenure::lua
