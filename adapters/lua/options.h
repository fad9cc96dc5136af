// The named options of a function of `t`, as in t.sql{…, timeout = "2s"}.
//
// Thread rule: the thread of the lua_State.
#pragma once

#include <span>
#include <string_view>

struct lua_State;

namespace tenure::lua {

// Whether a table stands at `index` whose named keys are among these.
bool has_only_options(lua_State* state, int index, std::span<const std::string_view> known);
// Raises a Lua error unless a table stands at `index` whose named keys are among these. `what`: the function.
void check_options(lua_State* state, int index, const char* what, std::span<const std::string_view> known);

}  // namespace tenure::lua
