#include "adapters/lua/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <lua.hpp>
#include <vector>

namespace tenure::lua {
namespace {

// How many letters are to be changed, put in or left out (Levenshtein 1966).
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[other.size()];
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string_view> known) {
  constexpr std::size_t kNear = 3;
  constexpr std::size_t kLongest = 60;  // a name that is longer is none of ours
  const std::string_view* found = nullptr;
  std::size_t least = kNear;
  for (const std::string_view& each : known) {
    const std::size_t away = name.size() <= kLongest ? distance(name, each) : kNear;
    if (away >= least || away >= each.size()) continue;
    least = away;
    found = &each;
  }
  if (found != nullptr) return fmt::format("did you mean `{}`?", *found);
  return known.empty() ? "it has none" : fmt::format("there is {}", fmt::join(known, ", "));
}

void check_options(lua_State* state, int index, const char* what, std::span<const std::string_view> known) {
  if (!lua_istable(state, index))
    luaL_error(state, "%s takes a table, as in %s{…}, and not a %s", what, what, luaL_typename(state, index));
  std::string unknown;  // the first by its letters: Lua's own order differs from run to run
  for (lua_pushnil(state); lua_next(state, index) != 0; lua_pop(state, 1)) {
    if (lua_type(state, -2) != LUA_TSTRING) continue;
    const std::string key = lua_tostring(state, -2);
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (unknown.empty() || key < unknown) unknown = key;
  }
  if (unknown.empty()) return;
  const std::string hint = nearest(unknown, known);
  luaL_error(state, "%s has no option `%s`; %s", what, unknown.c_str(), hint.c_str());
}

}  // namespace tenure::lua
