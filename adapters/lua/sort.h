// table.sort of a design: stable, so that the order does not depend on how Lua sorts.
//
// Thread rule: the thread of the lua_State.
#pragma once

struct lua_State;

namespace tenure::lua {

int sort(lua_State* state);

}  // namespace tenure::lua
