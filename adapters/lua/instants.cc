#include "adapters/lua/instants.h"

#include <array>
#include <lua.hpp>
#include <string>

#include "core/base/ids.h"
#include "core/model/describe.h"
#include "core/model/duration_text.h"

namespace tenure::lua {
namespace {

struct Type {
  const char* name;   // of the metatable, and in messages
  const char* clock;  // in messages
};
constexpr std::array<Type, 4> kTypes = {{{"duration", ""},
                                         {"mono", "the monotonic clock"},
                                         {"wall", "the wall clock"},
                                         {"store", "the store's clock"}}};

const Type& type_of(Kind kind) { return kTypes[static_cast<std::size_t>(kind)]; }

// What one is in Lua.
struct Value {
  std::int64_t ns;
  Kind kind;
};
static_assert(sizeof(Value) != sizeof(Token), "values and tokens are told apart by their size");

// nullptr: none stands there. It is asked for each operand of each operation, so it does without the metatable.
const Value* value_at(lua_State* state, int index) {
  if (lua_type(state, index) != LUA_TUSERDATA || lua_rawlen(state, index) != sizeof(Value)) return nullptr;
  return static_cast<const Value*>(lua_touserdata(state, index));
}

// An operand: of which kind, and how long, or since when. A duration may be text.
struct Operand {
  Kind kind = Kind::duration;
  std::int64_t ns = 0;
};

Operand operand(lua_State* state, int index) {
  if (const Value* const value = value_at(state, index)) return {value->kind, value->ns};
  return {Kind::duration, check_duration(state, index, "an operand").ns()};
}

[[noreturn]] void refuse(lua_State* state, const char* what, Kind one, Kind other) {
  if (one == other) luaL_error(state, "%s of two times of %s", what, type_of(one).clock);
  if (one != Kind::duration && other != Kind::duration)
    luaL_error(state, "%s of %s with one of %s: these clocks need not agree%s", what, type_of(one).clock,
               type_of(other).clock,
               one == Kind::mono || other == Kind::mono
                   ? ""
                   : "; t.as_wall(x) takes a store's time for a wall clock's");
  luaL_error(state, "%s of a %s with a %s", what, type_of(one).name, type_of(other).name);
  __builtin_unreachable();
}

int add(lua_State* state) {
  const Operand one = operand(state, 1);
  const Operand other = operand(state, 2);
  if (one.kind != Kind::duration && other.kind != Kind::duration)
    refuse(state, "a sum", one.kind, other.kind);
  const Kind kind = one.kind == Kind::duration ? other.kind : one.kind;
  push(state, kind, (Duration::nanos(one.ns) + Duration::nanos(other.ns)).ns());
  return 1;
}

int subtract(lua_State* state) {
  const Operand one = operand(state, 1);
  const Operand other = operand(state, 2);
  if (other.kind != Kind::duration && one.kind != other.kind)
    refuse(state, "a difference", one.kind, other.kind);
  const Kind kind = one.kind == other.kind ? Kind::duration : one.kind;
  push(state, kind, (Duration::nanos(one.ns) - Duration::nanos(other.ns)).ns());
  return 1;
}

int multiply(lua_State* state) {
  const bool first = lua_isinteger(state, 1) != 0;
  const std::int64_t times = luaL_checkinteger(state, first ? 1 : 2);
  push(state, Kind::duration, (check_duration(state, first ? 2 : 1, "what is multiplied") * times).ns());
  return 1;
}

// By a whole number: a duration. By a duration: how many times it fits.
int divide(lua_State* state) {
  const Duration whole = check_duration(state, 1, "what is divided");
  const bool by_number = lua_isinteger(state, 2) != 0;
  const std::int64_t by =
      by_number ? lua_tointeger(state, 2) : check_duration(state, 2, "what it is divided by").ns();
  if (by == 0) return luaL_error(state, "a duration is divided by zero");
  if (by_number)
    push(state, Kind::duration, (whole / by).ns());
  else
    lua_pushinteger(state, whole.ns() / by);
  return 1;
}

int negate(lua_State* state) {
  push(state, Kind::duration, (-check_duration(state, 1, "what is negated")).ns());
  return 1;
}

template <class Compare>
int compare(lua_State* state, Compare compare) {
  const Operand one = operand(state, 1);
  const Operand other = operand(state, 2);
  if (one.kind != other.kind) refuse(state, "a comparison", one.kind, other.kind);
  lua_pushboolean(state, compare(one.ns, other.ns));
  return 1;
}
int less(lua_State* state) {
  return compare(state, [](std::int64_t a, std::int64_t b) { return a < b; });
}
int less_or_equal(lua_State* state) {
  return compare(state, [](std::int64_t a, std::int64_t b) { return a <= b; });
}
int equal(lua_State* state) {
  return compare(state, [](std::int64_t a, std::int64_t b) { return a == b; });
}

std::string text_of(const Operand& it) {
  switch (it.kind) {
    case Kind::duration: return print_duration(Duration::nanos(it.ns));
    case Kind::mono: return describe(MonoTime::from_ns(it.ns));
    case Kind::wall: return describe(StoreTime::from_ns(it.ns));
    case Kind::store: return describe(StoreTime::from_ns(it.ns));
  }
  return "";
}
int to_text(lua_State* state) {
  const std::string text = text_of(operand(state, 1));
  lua_pushlstring(state, text.data(), text.size());
  return 1;
}
int concatenate(lua_State* state) {
  std::string text;
  for (const int index : {1, 2}) {
    if (kind_at(state, index))
      text += text_of(operand(state, index));
    else
      text += luaL_checkstring(state, index);
  }
  lua_pushlstring(state, text.data(), text.size());
  return 1;
}

constexpr luaL_Reg kDurationMethods[] = {
    {"__add", add},          {"__sub", subtract},       {"__mul", multiply},
    {"__idiv", divide},      {"__div", divide},         {"__unm", negate},
    {"__lt", less},          {"__le", less_or_equal},   {"__eq", equal},
    {"__tostring", to_text}, {"__concat", concatenate}, {nullptr, nullptr}};
constexpr luaL_Reg kInstantMethods[] = {{"__add", add},
                                        {"__sub", subtract},
                                        {"__lt", less},
                                        {"__le", less_or_equal},
                                        {"__eq", equal},
                                        {"__tostring", to_text},
                                        {"__concat", concatenate},
                                        {nullptr, nullptr}};

}  // namespace

// Metatables are found by addresses: a name would be hashed and compared each time.
void push(lua_State* state, Kind kind, std::int64_t ns) {
  *static_cast<Value*>(lua_newuserdatauv(state, sizeof(Value), 0)) = {ns, kind};
  const Type& type = type_of(kind);
  if (lua_rawgetp(state, LUA_REGISTRYINDEX, &type) == LUA_TNIL) {  // its first
    lua_pop(state, 1);
    luaL_newmetatable(state, type.name);
    luaL_setfuncs(state, kind == Kind::duration ? kDurationMethods : kInstantMethods, 0);
    lua_pushliteral(state, "locked");
    lua_setfield(state, -2, "__metatable");
    lua_pushvalue(state, -1);
    lua_rawsetp(state, LUA_REGISTRYINDEX, &type);
  }
  lua_setmetatable(state, -2);
}

std::optional<Kind> kind_at(lua_State* state, int index) {
  const Value* const value = value_at(state, index);
  return value != nullptr ? std::optional(value->kind) : std::nullopt;
}

std::optional<std::int64_t> to(lua_State* state, int index, Kind kind) {
  const Value* const value = value_at(state, index);
  return value != nullptr && value->kind == kind ? std::optional(value->ns) : std::nullopt;
}

const char* what_stands_at(lua_State* state, int index) {
  const auto kind = kind_at(state, index);
  if (!kind && lua_islightuserdata(state, index)) return "null";
  if (!kind && lua_isnoneornil(state, index)) return "nil";
  if (!kind) return lua_pushfstring(state, "a %s", luaL_typename(state, index));
  if (*kind == Kind::duration) return "a duration";
  return lua_pushfstring(state, "a time of %s", type_of(*kind).clock);
}

Duration check_duration(lua_State* state, int index, const char* what) {
  if (const auto ns = to(state, index, Kind::duration)) return Duration::nanos(*ns);
  if (lua_type(state, index) == LUA_TSTRING) {
    const Parsed<Duration> parsed = parse_duration(lua_tostring(state, index));
    if (parsed.value) return *parsed.value;
    // The message is copied into Lua before it is raised: nothing of ours is left on the way.
    lua_pushlstring(state, parsed.problem.data(), parsed.problem.size());
  } else {
    lua_pushfstring(state, "it is %s", what_stands_at(state, index));
  }
  luaL_error(state, "%s must be a duration, like \"5s\": %s", what, lua_tostring(state, -1));
  return {};
}

}  // namespace tenure::lua
