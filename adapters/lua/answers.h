// What statements are given and give back, as values of Lua.
//
// Thread rule: the thread of the lua_State.
#pragma once

#include <vector>

#include "core/model/input.h"
#include "sim/stores/statements/requests.h"

struct lua_State;

namespace tenure::lua {

void push_null(lua_State* state);
// The statement in the table at `index`: its text, then its parameters. Raises a Lua error when it is none.
statements::SqlStatement statement_at(lua_State* state, int index);
// A list of such tables, with one at least.
std::vector<statements::SqlStatement> statements_at(lua_State* state, int index);
// For an answer that is no reply, nil and an error. Returns how many values that is; 0: it is a reply.
int push_refusal(lua_State* state, const StoreReplied& reply);
// Pushes what t.sql or t.transaction return for this answer, and returns how many values that is.
int push_answer(lua_State* state, const StoreReplied& reply, bool transaction);

}  // namespace tenure::lua
