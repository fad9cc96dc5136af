// Values of Lua for people: no text shows an address, which differs from run to run.
//
// Thread rule: the thread of the lua_State.
#pragma once

#include <string>

struct lua_State;

namespace tenure::lua {

// As tostring() of a design.
std::string plain_text(lua_State* state, int index);
// Whether Lua's own text of it has one.
bool shows_an_address(lua_State* state, int index);

}  // namespace tenure::lua
