#include "adapters/lua/library.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <lua.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/lua/sandbox.h"
#include "adapters/lua/text.h"

namespace tenure::lua {
namespace {

constexpr std::size_t kAtOnce = 16;  // of bytes or values, for what an instruction costs

// ---- a table's keys in order -------------------------------------------------------------------------------------

int rank_of(lua_State* state, int index) {
  switch (lua_type(state, index)) {
    case LUA_TBOOLEAN: return 0;
    case LUA_TNUMBER: return 1;
    case LUA_TSTRING: return 2;
    default: return 3;
  }
}

// Booleans, then numbers, then strings by their bytes.
bool comes_before(lua_State* state, int one, int other) {
  const int rank = rank_of(state, one);
  const int others = rank_of(state, other);
  if (rank != others) return rank < others;
  if (rank == 0) return lua_toboolean(state, one) < lua_toboolean(state, other);
  if (rank == 1) return lua_compare(state, one, other, LUA_OPLT) != 0;
  std::size_t length = 0;
  std::size_t others_length = 0;
  const char* text = lua_tolstring(state, one, &length);
  const char* others_text = lua_tolstring(state, other, &others_length);
  return std::string_view(text, length) < std::string_view(others_text, others_length);
}

// Upvalues: the table, the list of its keys as they were, how many have been given.
int next_in_order(lua_State* state) {
  const lua_Integer place = lua_tointeger(state, lua_upvalueindex(3)) + 1;
  lua_pushinteger(state, place);
  lua_copy(state, -1, lua_upvalueindex(3));
  lua_pop(state, 1);
  lua_rawgeti(state, lua_upvalueindex(2), place);
  if (lua_isnil(state, -1)) return 1;
  lua_pushvalue(state, -1);
  lua_rawget(state, lua_upvalueindex(1));
  return 2;
}

int pairs(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 1);
  lua_newtable(state);
  lua_Integer count = 0;
  for (lua_pushnil(state); lua_next(state, 1) != 0; lua_pop(state, 1)) {
    if (rank_of(state, -2) == 3)
      return luaL_error(state, "pairs() of a table with a %s as a key: such keys have no order",
                        luaL_typename(state, -2));
    lua_pushvalue(state, -2);
    lua_rawseti(state, 2, ++count);
    Sandbox::of(state).charge(state, 1);
  }
  std::vector<lua_Integer> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 1);
  std::stable_sort(order.begin(), order.end(), [state](lua_Integer one, lua_Integer other) {
    lua_rawgeti(state, 2, one);
    lua_rawgeti(state, 2, other);
    const bool before = comes_before(state, -2, -1);
    lua_pop(state, 2);
    return before;
  });
  lua_createtable(state, static_cast<int>(count), 0);
  for (lua_Integer place = 1; place <= count; ++place) {
    lua_rawgeti(state, 2, order[static_cast<std::size_t>(place - 1)]);
    lua_rawseti(state, 3, place);
  }
  lua_remove(state, 2);
  lua_pushinteger(state, 0);
  lua_pushcclosure(state, next_in_order, 3);
  return 1;
}

// ---- table.sort, stable --------------------------------------------------------------------------------------------

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

int sort(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  const bool by_function = !lua_isnoneornil(state, 2);
  if (by_function) luaL_checktype(state, 2, LUA_TFUNCTION);
  lua_settop(state, 2);
  lua_newtable(state);
  const auto count = static_cast<lua_Integer>(lua_rawlen(state, 1));
  for (lua_Integer width = 1; width < count; width *= 2)
    for (lua_Integer from = 1; from + width <= count; from += 2 * width)
      merge(state, from, from + width, std::min(from + 2 * width, count + 1), by_function);
  return 0;
}

// ---- text without addresses ----------------------------------------------------------------------------------------

int text_without_address(lua_State* state) {
  luaL_checkany(state, 1);
  const std::string text = plain_text(state, 1);
  lua_pushlstring(state, text.data(), text.size());
  return 1;
}

// Upvalue: Lua's own.
int format(lua_State* state) {
  const std::string_view pattern = luaL_checkstring(state, 1);
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    std::size_t end = i + 1;
    while (end < pattern.size() &&
           std::string_view("-+ #0123456789.").find(pattern[end]) != std::string_view::npos)
      ++end;
    if (end < pattern.size() && std::string_view("paAq").find(pattern[end]) != std::string_view::npos)
      return luaL_error(state, "string.format: %%%c shows what differs from run to run", pattern[end]);
    i = end;
  }
  const int count = lua_gettop(state);
  for (int i = 2; i <= count; ++i) {
    if (!shows_an_address(state, i)) continue;
    lua_pushstring(state, luaL_typename(state, i));
    lua_replace(state, i);
  }
  lua_pushvalue(state, lua_upvalueindex(1));
  lua_insert(state, 1);
  lua_call(state, count, 1);
  return 1;
}

// string.find(s, plain): no patterns.
int find(lua_State* state) {
  std::size_t length = 0;
  std::size_t wanted_length = 0;
  const char* text = luaL_checklstring(state, 1, &length);
  const char* wanted = luaL_checklstring(state, 2, &wanted_length);
  const lua_Integer from = std::max<lua_Integer>(luaL_optinteger(state, 3, 1), 1) - 1;
  if (static_cast<std::size_t>(from) > length) return lua_pushnil(state), 1;
  Sandbox::of(state).charge(state, (length + wanted_length) / kAtOnce);
  // Unlike std::string_view::find, this takes no longer than the two texts are.
  const void* const at = memmem(text + from, length - static_cast<std::size_t>(from), wanted, wanted_length);
  if (at == nullptr) return lua_pushnil(state), 1;
  const lua_Integer found = static_cast<const char*>(at) - text;
  lua_pushinteger(state, found + 1);
  lua_pushinteger(state, found + static_cast<lua_Integer>(wanted_length));
  return 2;
}

// ---- what takes long in one instruction ----------------------------------------------------------------------------

enum class Cost : std::uint8_t { of_table, of_count, of_span };

// Upvalues: Lua's own function, and what its cost is that of; for a span, the place of its first argument.
int charged(lua_State* state) {
  const auto cost = static_cast<Cost>(lua_tointeger(state, lua_upvalueindex(2)));
  const auto first = static_cast<int>(lua_tointeger(state, lua_upvalueindex(3)));
  std::uint64_t passed = 0;
  if (cost == Cost::of_count)
    passed = static_cast<std::uint64_t>(std::max<lua_Integer>(lua_tointeger(state, first), 0));
  else if (cost == Cost::of_table || lua_isnoneornil(state, first + 1))
    passed = lua_rawlen(state, 1);
  else if (lua_tointeger(state, first) < lua_tointeger(state, first + 1))
    passed = static_cast<std::uint64_t>(lua_tointeger(state, first + 1)) -
             static_cast<std::uint64_t>(lua_tointeger(state, first));
  Sandbox::of(state).charge(state, passed / kAtOnce);
  return lua_tocfunction(state, lua_upvalueindex(1))(state);
}

void charge_for(lua_State* state, const char* table, const char* name, Cost cost, int first = 1) {
  lua_getglobal(state, table);
  lua_getfield(state, -1, name);
  lua_pushinteger(state, static_cast<lua_Integer>(cost));
  lua_pushinteger(state, first);
  lua_pushcclosure(state, charged, 3);
  lua_setfield(state, -2, name);
  lua_settop(state, 0);
}

// ---- what is left out ----------------------------------------------------------------------------------------------

// Upvalue: the name, for people.
int left_out(lua_State* state) {
  return luaL_error(state, "a design has no %s: %s", lua_tostring(state, lua_upvalueindex(1)),
                    lua_tostring(state, lua_upvalueindex(2)));
}

void leave_out(lua_State* state, const char* table, const char* name, const char* why) {
  lua_getglobal(state, table);
  lua_pushstring(state,
                 std::string_view(table) == "_G" ? name : lua_pushfstring(state, "%s.%s", table, name));
  lua_pushstring(state, why);
  lua_pushcclosure(state, left_out, 2);
  lua_setfield(state, std::string_view(table) == "_G" ? -2 : -3, name);
  lua_settop(state, 0);
}

constexpr const char* kReadsCode = "all of it is in its file";
constexpr const char* kPatterns =
    "patterns can take minutes on a short text; string.find looks for plain text";
constexpr const char* kNoise = "use t.random(n), which a seed repeats";
constexpr const char* kFloats =
    "fractions differ from machine to machine; times are durations, counts are whole";

// __gc runs at no fixed time; __mode makes what is left depend on it.
int set_metatable(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  if (!lua_isnil(state, 2)) luaL_checktype(state, 2, LUA_TTABLE);
  lua_settop(state, 2);
  if (lua_istable(state, 2))
    for (const char* name : {"__gc", "__mode", "__close"}) {
      lua_getfield(state, 2, name);
      if (!lua_isnil(state, -1))
        return luaL_error(state, "a metatable with %s: when it is done would differ from run to run", name);
      lua_pop(state, 1);
    }
  if (luaL_getmetafield(state, 1, "__metatable") != LUA_TNIL)
    return luaL_error(state, "this metatable is locked");
  lua_setmetatable(state, 1);
  return 1;
}

// What all machines have alike: comparisons, whole numbers, rounding to one.
constexpr std::array<std::string_view, 12> kExactMath = {"abs",        "ceil",       "floor", "max",
                                                         "min",        "tointeger",  "type",  "ult",
                                                         "maxinteger", "mininteger", "huge",  "pi"};

void leave_out_fractions(lua_State* state) {
  std::vector<std::string> names;
  lua_getglobal(state, "math");
  for (lua_pushnil(state); lua_next(state, -2) != 0; lua_pop(state, 1)) {
    const std::string_view name = lua_tostring(state, -2);
    if (std::find(kExactMath.begin(), kExactMath.end(), name) == kExactMath.end()) names.emplace_back(name);
  }
  lua_settop(state, 0);
  for (const std::string& name : names)
    leave_out(state, "math", name.c_str(), name.starts_with("random") ? kNoise : kFloats);
}

}  // namespace

void open_library(lua_State* state) {
  for (const luaL_Reg& library : {luaL_Reg{"_G", luaopen_base}, luaL_Reg{"table", luaopen_table},
                                  luaL_Reg{"string", luaopen_string}, luaL_Reg{"math", luaopen_math}}) {
    luaL_requiref(state, library.name, library.func, 1);
    lua_pop(state, 1);
  }
  for (const char* name : {"dofile", "load", "loadfile"}) leave_out(state, "_G", name, kReadsCode);
  leave_out(state, "_G", "collectgarbage", "memory is not its business");
  leave_out(state, "_G", "next", "use pairs(), which goes in order");
  leave_out(state, "_G", "print", "use t.log(), which goes to the trace");
  leave_out(state, "_G", "xpcall", "use pcall()");
  leave_out(state, "_G", "warn", "use t.log()");
  for (const char* name : {"match", "gmatch", "gsub"}) leave_out(state, "string", name, kPatterns);
  for (const char* name : {"dump", "pack", "unpack", "packsize"})
    leave_out(state, "string", name, kReadsCode);
  leave_out_fractions(state);
  charge_for(state, "string", "rep", Cost::of_count, 2);
  charge_for(state, "string", "byte", Cost::of_span, 2);
  charge_for(state, "table", "insert", Cost::of_table);
  charge_for(state, "table", "remove", Cost::of_table);
  charge_for(state, "table", "unpack", Cost::of_span, 2);
  charge_for(state, "table", "concat", Cost::of_span, 3);
  charge_for(state, "table", "move", Cost::of_span, 2);
  lua_register(state, "pairs", pairs);
  lua_register(state, "tostring", text_without_address);
  lua_register(state, "setmetatable", set_metatable);
  lua_getglobal(state, "table");
  lua_pushcfunction(state, sort);
  lua_setfield(state, -2, "sort");
  lua_getglobal(state, "string");
  lua_getfield(state, -1, "format");
  lua_pushcclosure(state, format, 1);
  lua_setfield(state, -2, "format");
  lua_pushcfunction(state, find);
  lua_setfield(state, -2, "find");
  lua_settop(state, 0);
}

}  // namespace tenure::lua
