#include "adapters/lua/library.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <lua.hpp>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/lua/sandbox.h"
#include "adapters/lua/sort.h"
#include "adapters/lua/text.h"
#include "core/base/check.h"

namespace tenure::lua {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr std::size_t kAtOnce = 16;  // of bytes or values, for what an instruction costs

// ---- Lua's own -----------------------------------------------------------------------------------------------------

// Its functions, from a state of their own. Those that are kept have no upvalues: one does for every state.
class LuasOwn {
 public:
  static constexpr std::string_view kOfTexts = "metatable of texts";

  static const LuasOwn& get() {
    static const LuasOwn own;
    return own;
  }
  lua_CFunction find(std::string_view table, std::string_view name) const {
    const auto found = functions_.find(std::pair(table, std::string(name)));
    CHECK(found != functions_.end(), "Lua has this function");
    return found->second;
  }
  // Visits them in order.
  template <class Visit>
  void each(std::string_view table, Visit&& visit) const {
    for (const auto& [place, function] : functions_)
      if (place.first == table) visit(place.second, function);
  }

 private:
  LuasOwn() {
    lua_State* const state = luaL_newstate();
    CHECK(state != nullptr, "there is memory for a state");
    luaL_openlibs(state);
    for (const char* const table : {"_G", "table", "string", "math"}) {
      lua_getglobal(state, table);
      take(state, table);
    }
    lua_pushliteral(state, "");
    lua_getmetatable(state, -1);
    take(state, kOfTexts);
    lua_close(state);
  }
  void take(lua_State* state, std::string_view table) {
    for (lua_pushnil(state); lua_next(state, -2) != 0; lua_pop(state, 1))
      if (lua_iscfunction(state, -1) != 0)
        functions_.emplace(std::pair(table, lua_tostring(state, -2)), lua_tocfunction(state, -1));
  }
  std::map<std::pair<std::string_view, std::string>, lua_CFunction> functions_;
};

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

// ---- text without addresses ----------------------------------------------------------------------------------------

int text_without_address(lua_State* state) {
  luaL_checkany(state, 1);
  const std::string text = plain_text(state, 1);
  lua_pushlstring(state, text.data(), text.size());
  return 1;
}

int format(lua_State* state) {
  static const lua_CFunction own = LuasOwn::get().find("string", "format");
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
  return own(state);
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
struct Charged {
  std::string_view table;
  std::string_view name;
  Cost cost;
  int first = 1;  // of a span: the place of its first argument
};
constexpr std::array<Charged, 7> kCharged = {{{"string", "rep", Cost::of_count, 2},
                                              {"string", "byte", Cost::of_span, 2},
                                              {"table", "insert", Cost::of_table},
                                              {"table", "remove", Cost::of_table},
                                              {"table", "unpack", Cost::of_span, 2},
                                              {"table", "concat", Cost::of_span, 3},
                                              {"table", "move", Cost::of_span, 2}}};

template <std::size_t which>
int charged(lua_State* state) {
  constexpr Charged kIt = kCharged[which];
  static const lua_CFunction own = LuasOwn::get().find(kIt.table, kIt.name);
  std::uint64_t passed = 0;
  if (kIt.cost == Cost::of_count)
    passed = static_cast<std::uint64_t>(std::max<lua_Integer>(lua_tointeger(state, kIt.first), 0));
  else if (kIt.cost == Cost::of_table || lua_isnoneornil(state, kIt.first + 1))
    passed = lua_rawlen(state, 1);
  else if (lua_tointeger(state, kIt.first) < lua_tointeger(state, kIt.first + 1))
    passed = static_cast<std::uint64_t>(lua_tointeger(state, kIt.first + 1)) -
             static_cast<std::uint64_t>(lua_tointeger(state, kIt.first));
  Sandbox::of(state).charge(state, passed / kAtOnce);
  return own(state);
}

// ---- what is left out ----------------------------------------------------------------------------------------------

// Upvalue: the name, for people.
int left_out(lua_State* state) {
  return luaL_error(state, "a design has no %s: %s", lua_tostring(state, lua_upvalueindex(1)),
                    lua_tostring(state, lua_upvalueindex(2)));
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

// ---- which functions there are -------------------------------------------------------------------------------------

// Of one table: its functions, and what it lacks, each with the reason for people.
struct Library {
  std::string_view table;
  std::map<std::string, lua_CFunction, std::less<>> functions;
  std::map<std::string, const char*, std::less<>> left_out;
};

constexpr std::string_view kTables[] = {"_G", "table", "string", "math"};

const char* why_left_out(std::string_view table, std::string_view name) {
  const auto is = [name](auto... names) { return ((name == names) || ...); };
  // What all machines have alike: comparisons, whole numbers, rounding to one.
  if (table == "math" && !is("abs", "ceil", "floor", "max", "min", "tointeger", "type", "ult"))
    return name.starts_with("random") ? kNoise : kFloats;
  if (table == "string" && is("match", "gmatch", "gsub")) return kPatterns;
  if (table == "string" && is("dump", "pack", "unpack", "packsize")) return kReadsCode;
  if (table != "_G") return nullptr;
  if (is("dofile", "load", "loadfile")) return kReadsCode;
  if (name == "collectgarbage") return "memory is not its business";
  if (name == "next") return "use pairs(), which goes in order";
  if (name == "print") return "use t.log(), which goes to the trace";
  if (name == "xpcall") return "use pcall()";
  return name == "warn" ? "use t.log()" : nullptr;
}

template <std::size_t... which>
void put_charged(Library& library, std::index_sequence<which...>) {
  ((kCharged[which].table == library.table
        ? static_cast<void>(library.functions[std::string(kCharged[which].name)] = charged<which>)
        : static_cast<void>(0)),
   ...);
}

const std::array<Library, std::size(kTables)>& libraries() {
  static const auto all = [] {
    std::array<Library, std::size(kTables)> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
      Library& library = made[i];
      library.table = kTables[i];
      LuasOwn::get().each(library.table, [&library](const std::string& name, lua_CFunction function) {
        if (const char* why = why_left_out(library.table, name))
          library.left_out.emplace(name, why);
        else
          library.functions.emplace(name, function);
      });
      put_charged(library, std::make_index_sequence<kCharged.size()>());
    }
    auto& [base, table, string, math] = made;
    base.functions.erase("require");
    base.functions["pairs"] = pairs;
    base.functions["tostring"] = text_without_address;
    base.functions["setmetatable"] = set_metatable;
    base.functions["pcall"] = sandboxed_pcall;
    table.functions["sort"] = sort;
    string.functions["format"] = format;
    string.functions["find"] = find;
    return made;
  }();
  return all;
}

// A table has a function from its first use on: a life of a program uses a few of them, and most lives are short.
// Upvalue: the place of the library.
int find_function(lua_State* state) {
  const Library& library = libraries()[static_cast<std::size_t>(lua_tointeger(state, lua_upvalueindex(1)))];
  if (lua_type(state, 2) != LUA_TSTRING) return 0;
  const std::string_view name = lua_tostring(state, 2);
  if (const auto found = library.functions.find(name); found != library.functions.end()) {
    lua_pushcfunction(state, found->second);
    lua_pushvalue(state, 2);
    lua_pushvalue(state, -2);
    lua_rawset(state, 1);
    return 1;
  }
  const auto absent = library.left_out.find(name);
  if (absent == library.left_out.end()) return 0;
  lua_pushfstring(state, "%s%s%s", library.table == "_G" ? "" : library.table.data(),
                  library.table == "_G" ? "" : ".", absent->first.c_str());
  lua_pushstring(state, absent->second);
  lua_pushcclosure(state, left_out, 2);
  return 1;
}

}  // namespace

void open_library(lua_State* state) {
  lua_pushglobaltable(state);
  lua_pushvalue(state, -1);
  lua_setfield(state, -2, "_G");
  for (std::size_t i = 0; i < std::size(kTables); ++i) {
    if (i > 0) lua_newtable(state);
    lua_createtable(state, 0, 2);
    lua_pushinteger(state, static_cast<lua_Integer>(i));
    lua_pushcclosure(state, find_function, 1);
    lua_setfield(state, -2, "__index");
    lua_pushliteral(state, "locked");
    if (i > 0)
      lua_setfield(state, -2, "__metatable");
    else
      lua_pop(state, 1);
    lua_setmetatable(state, -2);
    if (i > 0) lua_setglobal(state, kTables[i].data());
  }
  // A program may give its globals another metatable.
  for (const auto& [name, function] : libraries().front().functions) {
    lua_pushcfunction(state, function);
    lua_setglobal(state, name.c_str());
  }
  lua_getglobal(state, "math");
  lua_pushinteger(state, LUA_MAXINTEGER);
  lua_setfield(state, -2, "maxinteger");
  lua_pushinteger(state, LUA_MININTEGER);
  lua_setfield(state, -2, "mininteger");
  lua_pushnumber(state, std::numeric_limits<double>::infinity());
  lua_setfield(state, -2, "huge");
  lua_pushnumber(state, kPi);
  lua_setfield(state, -2, "pi");
  // ("x"):rep(3), and the arithmetic of texts that are numbers.
  lua_pushliteral(state, "");
  lua_createtable(state, 0, 10);
  LuasOwn::get().each(LuasOwn::kOfTexts, [state](const std::string& name, lua_CFunction function) {
    lua_pushcfunction(state, function);
    lua_setfield(state, -2, name.c_str());
  });
  lua_getglobal(state, "string");
  lua_setfield(state, -2, "__index");
  lua_setmetatable(state, -2);
  lua_settop(state, 0);
}

}  // namespace tenure::lua
