// The requests of a store as functions of Lua, and its replies as tables: for every store whose structs consist of what
// Lua has (core/base/fields.h lists their fields). A request is called as in its own system: redis::CompareAndDelete is
// compare_and_delete{key = …, value = …}.
//
// Text, whole numbers, true and false, durations, times of the store; lists of them; tables with names, for structs; of
// several kinds of structs, a table with the one that it is: { put = { key = … } }. What may be left out is nil.
//
// Thread rule: the tables are immutable; the rest belongs to the thread of the lua_State.
#pragma once

#include <span>
#include <string>

#include "core/store/store_kind.h"

struct lua_State;

namespace tenure::lua {

struct StoreCall {
  std::string name;
  // From the table at 1, which may also have a `timeout`. `what` is its full name, for errors: "redis.set". Raises a
  // Lua error that names the field.
  Request (*read)(lua_State* state, const char* what);
};

// Those of a store, by name; empty: it is not for designs.
std::span<const StoreCall> calls_of(const StoreKind& store);
// The names of the stores that are.
std::string stores_for_designs();

// The reply as one table, or nil and an error. Returns how many values these are.
int push_store_reply(lua_State* state, const Reply& reply);

}  // namespace tenure::lua
