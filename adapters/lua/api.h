// What a design's node(t) finds in `t`.
//
// Thread rule: as Host.
#pragma once

struct lua_State;

namespace tenure::lua {

class Host;

// Leaves the table `t` on the stack. The host must be the state's: set_host() was called.
void push_api(lua_State* state);
void set_host(lua_State* state, Host* host);

}  // namespace tenure::lua
