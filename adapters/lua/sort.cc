#include "adapters/lua/sort.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <lua.hpp>
#include <utility>
#include <vector>

#include "adapters/lua/instants.h"
#include "adapters/lua/sandbox.h"

namespace tenure::lua {
namespace {

bool sorts_before(lua_State* state, bool by_function) {
  // The two are on top.
  Sandbox::of(state).charge(state, 1);
  if (!by_function) return lua_compare(state, -2, -1, LUA_OPLT) != 0;
  lua_pushvalue(state, 2);
  lua_pushvalue(state, -3);
  lua_pushvalue(state, -3);
  lua_call(state, 2, 1);
  const bool before = lua_toboolean(state, -1) != 0;
  lua_pop(state, 1);
  return before;
}

// Merges the sorted runs [from, middle) and [middle, to) of the table at 1, by way of the table at 3.
void merge(lua_State* state, lua_Integer from, lua_Integer middle, lua_Integer to, bool by_function) {
  lua_Integer left = from;
  lua_Integer right = middle;
  for (lua_Integer place = from; place < to; ++place) {
    bool take_right = left >= middle;
    if (left < middle && right < to) {
      lua_rawgeti(state, 1, right);
      lua_rawgeti(state, 1, left);
      take_right = sorts_before(state, by_function);
      lua_pop(state, 2);
    }
    lua_rawgeti(state, 1, take_right ? right++ : left++);
    lua_rawseti(state, 3, place);
  }
  for (lua_Integer place = from; place < to; ++place) {
    lua_rawgeti(state, 3, place);
    lua_rawseti(state, 1, place);
  }
}

// Sorts the table at 1 if all of it are times of one kind, by way of the table at 3. A comparison costs nothing here,
// and much by their metamethods. False: they are not.
bool sort_times(lua_State* state, lua_Integer count) {
  lua_rawgeti(state, 1, 1);
  const auto kind = kind_at(state, -1);
  lua_pop(state, 1);
  if (!kind) return false;
  std::vector<std::pair<std::int64_t, lua_Integer>> order;
  order.reserve(static_cast<std::size_t>(count));
  for (lua_Integer place = 1; place <= count; ++place) {
    lua_rawgeti(state, 1, place);
    const auto time = to(state, -1, *kind);
    lua_pop(state, 1);
    if (!time) return false;
    order.emplace_back(*time, place);
  }
  const auto size = static_cast<std::uint64_t>(count);
  Sandbox::of(state).charge(state, size * static_cast<std::uint64_t>(std::bit_width(size)));
  std::sort(order.begin(), order.end());  // equal ones by their places
  for (lua_Integer place = 1; place <= count; ++place) {
    lua_rawgeti(state, 1, order[static_cast<std::size_t>(place - 1)].second);
    lua_rawseti(state, 3, place);
  }
  for (lua_Integer place = 1; place <= count; ++place) {
    lua_rawgeti(state, 3, place);
    lua_rawseti(state, 1, place);
  }
  return true;
}

}  // namespace

int sort(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  const bool by_function = !lua_isnoneornil(state, 2);
  if (by_function) luaL_checktype(state, 2, LUA_TFUNCTION);
  lua_settop(state, 2);
  lua_newtable(state);
  const auto count = static_cast<lua_Integer>(lua_rawlen(state, 1));
  if (!by_function && sort_times(state, count)) return 0;
  for (lua_Integer width = 1; width < count; width *= 2)
    for (lua_Integer from = 1; from + width <= count; from += 2 * width)
      merge(state, from, from + width, std::min(from + 2 * width, count + 1), by_function);
  return 0;
}

}  // namespace tenure::lua
