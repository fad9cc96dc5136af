// What `t` has for acting as the leader: whether it leads, the token, the work of a slot.
//
// Thread rule: as Host.
#pragma once

struct lua_State;

namespace tenure::lua {

// Into the table `t` on top of the stack.
void push_work(lua_State* state);
// Registers the type of tokens. Call once a state.
void open_tokens(lua_State* state);

}  // namespace tenure::lua
