#include "adapters/lua/options.h"

#include <algorithm>
#include <lua.hpp>
#include <string>

#include "adapters/design/nearest.h"

namespace tenure::lua {

bool has_only_options(lua_State* state, int index, std::span<const std::string_view> known) {
  if (!lua_istable(state, index)) return false;
  for (lua_pushnil(state); lua_next(state, index) != 0; lua_pop(state, 1)) {
    if (lua_type(state, -2) != LUA_TSTRING) continue;
    if (std::find(known.begin(), known.end(), std::string_view(lua_tostring(state, -2))) != known.end())
      continue;
    lua_pop(state, 2);
    return false;
  }
  return true;
}

void check_options(lua_State* state, int index, const char* what, std::span<const std::string_view> known) {
  if (!lua_istable(state, index))
    luaL_error(state, "%s takes a table, as in %s{…}, and not a %s", what, what, luaL_typename(state, index));
  if (has_only_options(state, index, known)) return;
  std::string unknown;  // the first by its letters: Lua's own order differs from run to run
  for (lua_pushnil(state); lua_next(state, index) != 0; lua_pop(state, 1)) {
    if (lua_type(state, -2) != LUA_TSTRING) continue;
    const std::string key = lua_tostring(state, -2);
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (unknown.empty() || key < unknown) unknown = key;
  }
  const std::string hint = design::nearest(unknown, known);
  luaL_error(state, "%s has no option `%s`; %s", what, unknown.c_str(), hint.c_str());
}

}  // namespace tenure::lua
