// What statements are given and give back, as values of Lua.
//
// Thread rule: the thread of the lua_State.
#pragma once

#include "core/model/input.h"
#include "core/store/statements/requests.h"

struct lua_State;

namespace tenure::lua {

void push_null(lua_State* state);
// The parameter `number` of a statement. Raises a Lua error when it is none.
statements::Value value_at(lua_State* state, int index, int number);
// Pushes what t.sql or t.transaction return for this answer, and returns how many values that is.
int push_answer(lua_State* state, const StoreReplied& reply, bool transaction);

}  // namespace tenure::lua
