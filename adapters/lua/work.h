// What `t` has for acting as the leader: whether it leads, the token, the work of a slot.
//
// Thread rule: as Host.
#pragma once

struct lua_State;
struct luaL_Reg;

namespace tenure::lua {

// The functions of `t`; the last has no name.
const luaL_Reg* work_functions();
// For the prelude: whether it leads, with no intent to act on it, and until when.
int believes(lua_State* state);
int leads_until(lua_State* state);

}  // namespace tenure::lua
