// What a design asks its store: t.sql{…} and t.transaction{…} of a schema of its own, t.store("redis").set{…} of a
// store that others have made.
//
// Thread rule: as Host.
#pragma once

struct lua_State;
struct luaL_Reg;

namespace tenure::lua {

// Functions of `t`; the last is empty.
const luaL_Reg* store_functions();

}  // namespace tenure::lua
