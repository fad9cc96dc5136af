// Durations and instants as values of Lua: "5s", t.mono(), t.wall(), and what a store's statement returns.
//
// Four types with arithmetic: a duration, and one type of instant for each clock (mono, wall, store). An instant plus a
// duration is an instant; two instants of one clock have a difference, and an order. Whatever mixes two clocks is an
// error that says so: db-lease's mistake has to be made by name, with t.as_wall().
//
// Thread rule: belongs to the thread of its lua_State.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/time.h"

struct lua_State;

namespace tenure::lua {

enum class Kind : std::uint8_t { duration, mono, wall, store };

void push(lua_State* state, Kind kind, std::int64_t ns);

// What stands at `index`, if it is of this kind; nullopt otherwise.
std::optional<std::int64_t> to(lua_State* state, int index, Kind kind);
// Of any kind.
std::optional<Kind> kind_at(lua_State* state, int index);

// For messages: "a duration", "a time of the wall clock", "nil".
const char* what_stands_at(lua_State* state, int index);

// A duration, or text like "1m30s". Raises a Lua error that names `what` when it is neither.
Duration check_duration(lua_State* state, int index, const char* what);

}  // namespace tenure::lua
