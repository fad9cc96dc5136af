// What a design's node(t) finds in `t`.
//
// Thread rule: as Host.
#pragma once

#include "adapters/lua/host.h"

struct lua_State;

namespace tenure::lua {

// How long a request may take, unless it says otherwise.
constexpr Duration kRequestTimeout = Duration::seconds(10);

// Leaves the table `t` on the stack. The host must be the state's: set_host() was called.
void push_api(lua_State* state);
void set_host(lua_State* state, Host* host);

// For the functions of `t`. Each may raise a Lua error.
Host& host_of(lua_State* state);
Env& env_of(lua_State* state);
// The running task, which is about to wait.
Host::Task& waiter_of(lua_State* state);
// It waits, and goes on with what `then` returns; with nothing, where that is null. A function calls it last, and holds
// nothing then that has a destructor (task_stack.h).
int wait_then(lua_State* state, GoesOn then = nullptr, std::intptr_t context = 0);
// The same, for a `then` that finds nothing and was given itself.
int wait_again(lua_State* state, GoesOn then, std::intptr_t context = 0);

}  // namespace tenure::lua
