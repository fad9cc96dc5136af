#include "adapters/lua/store_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <lua.hpp>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/design/nearest.h"
#include "adapters/lua/instants.h"
#include "adapters/lua/options.h"
#include "adapters/lua/text.h"
#include "core/base/one_of.h"
#include "sim/stores/blob_lease/requests.h"
#include "sim/stores/consul/requests.h"
#include "sim/stores/dynamodb/requests.h"
#include "sim/stores/etcd/requests.h"
#include "sim/stores/placement/requests.h"
#include "sim/stores/queue/requests.h"
#include "sim/stores/redis/requests.h"
#include "sim/stores/registry.h"
#include "sim/stores/zookeeper/requests.h"

namespace tenure::lua {
namespace {

// ---- which structs a table of Lua can say --------------------------------------------------------------------------

template <class T>
struct Sayable : std::bool_constant<kIsOneOf<T, bool, std::int64_t, std::string, Duration, StoreTime>> {};
template <class T>
struct Sayable<std::optional<T>> : Sayable<T> {};
template <class T>
struct Sayable<std::vector<T>> : Sayable<T> {};
template <class T>
struct Sayable<std::map<std::string, T>> : Sayable<T> {};
template <class... T>
struct Sayable<std::variant<T...>> : std::bool_constant<(Sayable<T>::value && ...)> {};
template <HasFields T>
constexpr auto all_sayable(const T& it) {
  return visit_fields(it, []<class... Field>(const Field&...) {
    return std::bool_constant<(Sayable<Field>::value && ...)>{};
  });
}
template <HasFields T>
struct Sayable<T> : decltype(all_sayable(std::declval<const T&>())) {};

// ---- from a table ---------------------------------------------------------------------------------------------------

// Where a value stands, for errors. Most have none, so it is written down when there is one.
struct Place {
  const Place* within = nullptr;  // null: it is the call
  std::string_view name = {};     // of the call, or of a field
  lua_Integer item = 0;           // of a list, from one on; 0: it is a field

  Place of_field(std::string_view field) const { return {this, field}; }
  Place of_item(lua_Integer number) const { return {this, {}, number}; }

  std::string text() const {
    if (within == nullptr) return std::string(name);
    return item > 0 ? fmt::format("{}[{}]", within->text(), item)
                    : fmt::format("{}: `{}`", within->text(), name);
  }
};

template <class T>
T value_on_top(lua_State* state, const Place& what);

[[noreturn]] void refuse_value(lua_State* state, const Place& what, const char* wanted) {
  luaL_error(state, "%s is %s, and not %s", what.text().c_str(), wanted, what_stands_at(state, -1));
  __builtin_unreachable();
}

// May a table leave it out? A flag is false then, and a list is empty.
template <class T>
constexpr bool kMayBeAbsent = std::same_as<T, bool>;
template <class T>
constexpr bool kMayBeAbsent<std::optional<T>> = true;
template <class T>
constexpr bool kMayBeAbsent<std::vector<T>> = true;
template <class T>
constexpr bool kMayBeAbsent<std::map<std::string, T>> = true;

// The table on top. `also`: an option that is no field.
template <HasFields T>
T struct_on_top(lua_State* state, const Place& what, std::string_view also = {}) {
  T made;
  std::vector<std::string_view> known;
  visit_named_fields(made, [&known](std::string_view name, const auto&) { known.push_back(name); });
  if (!also.empty()) known.push_back(also);
  const int table = lua_gettop(state);
  if (!has_only_options(state, table, known)) check_options(state, table, what.text().c_str(), known);
  visit_named_fields(made, [&](std::string_view name, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    lua_getfield(state, table, std::string(name).c_str());
    if (!lua_isnil(state, -1))
      field = value_on_top<Field>(state, what.of_field(name));
    else if (!kMayBeAbsent<Field>)
      luaL_error(state, "%s is missing", what.of_field(name).text().c_str());
    lua_settop(state, table);
  });
  return made;
}

// Of several kinds of structs: a table with one name.
template <class... T>
void read_choice(lua_State* state, const Place& what, std::variant<T...>& to) {
  if (!lua_istable(state, -1)) refuse_value(state, what, "a table with one name");
  const std::vector<std::string> names = {snake_case(names_of(T{}).type)...};
  const std::vector<std::string_view> known(names.begin(), names.end());
  const int table = lua_gettop(state);
  if (!has_only_options(state, table, known)) check_options(state, table, what.text().c_str(), known);
  int found = 0;
  const auto read = [&]<class Kind>(const Kind& none) {
    const std::string name = snake_case(names_of(none).type);
    lua_getfield(state, table, name.c_str());
    if (!lua_isnil(state, -1)) {
      ++found;
      to = struct_on_top<Kind>(state, what.of_field(name));
    }
    lua_settop(state, table);
  };
  (read(T{}), ...);
  if (found != 1)
    luaL_error(state, "%s has one of %s", what.text().c_str(), design::nearest("", known).c_str());
}

// Of several kinds of plain values: by its type.
template <class... T>
void read_plain(lua_State* state, const Place& what, std::variant<T...>& to) {
  if constexpr ((std::same_as<T, std::string> || ...))
    if (lua_type(state, -1) == LUA_TSTRING) return void(to = value_on_top<std::string>(state, what));
  if constexpr ((std::same_as<T, std::int64_t> || ...))
    if (lua_type(state, -1) == LUA_TNUMBER) return void(to = value_on_top<std::int64_t>(state, what));
  if constexpr ((std::same_as<T, bool> || ...))
    if (lua_type(state, -1) == LUA_TBOOLEAN) return void(to = value_on_top<bool>(state, what));
  refuse_value(state, what, "text or a whole number");
}

template <class T>
void read_value(lua_State* state, const Place& what, T& to) {
  if constexpr (std::same_as<T, bool>) {
    if (!lua_isboolean(state, -1)) refuse_value(state, what, "true or false");
    to = lua_toboolean(state, -1) != 0;
  } else if constexpr (std::same_as<T, std::int64_t>) {
    if (lua_type(state, -1) != LUA_TNUMBER) refuse_value(state, what, "a whole number");
    if (lua_isinteger(state, -1) == 0)
      luaL_error(state, "%s is a whole number, and not a fraction", what.text().c_str());
    to = lua_tointeger(state, -1);
  } else if constexpr (std::same_as<T, std::string>) {
    if (lua_type(state, -1) != LUA_TSTRING) refuse_value(state, what, "text");
    to.assign(lua_tostring(state, -1), lua_rawlen(state, -1));
  } else if constexpr (std::same_as<T, Duration>) {
    const auto length = lua::to(state, -1, Kind::duration);
    to = length ? Duration::nanos(*length) : check_duration(state, lua_gettop(state), what.text().c_str());
  } else if constexpr (std::same_as<T, StoreTime>) {
    const auto time = lua::to(state, -1, Kind::store);
    if (!time) refuse_value(state, what, "a time of the store");
    to = StoreTime::from_ns(*time);
  } else {
    to = struct_on_top<T>(state, what);
  }
}
template <class T>
void read_value(lua_State* state, const Place& what, std::optional<T>& to) {
  to = value_on_top<T>(state, what);
}
template <class T>
void read_value(lua_State* state, const Place& what, std::vector<T>& to) {
  if (!lua_istable(state, -1)) refuse_value(state, what, "a list");
  const int list = lua_gettop(state);
  const auto count = static_cast<lua_Integer>(lua_rawlen(state, list));
  luaL_checkstack(state, 4, "lists in lists");
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(state, list, i);
    to.push_back(value_on_top<T>(state, what.of_item(i)));
    lua_settop(state, list);
  }
}
// Names of the caller's own. Their order here is not Lua's, which differs from run to run.
template <class T>
void read_value(lua_State* state, const Place& what, std::map<std::string, T>& to) {
  if (!lua_istable(state, -1)) refuse_value(state, what, "a table with names");
  const int table = lua_gettop(state);
  luaL_checkstack(state, 4, "tables in tables");
  for (lua_pushnil(state); lua_next(state, table) != 0; lua_settop(state, table + 1)) {
    if (lua_type(state, table + 1) != LUA_TSTRING)
      luaL_error(state, "%s has a key that is no name", what.text().c_str());
    to.emplace(std::string(lua_tostring(state, table + 1), lua_rawlen(state, table + 1)), T{});
  }
  for (auto& [name, value] : to) {
    lua_getfield(state, table, name.c_str());
    value = value_on_top<T>(state, what.of_field(name));
    lua_settop(state, table);
  }
}
template <class... T>
void read_value(lua_State* state, const Place& what, std::variant<T...>& to) {
  if constexpr ((HasFields<T> && ...))
    read_choice(state, what, to);
  else
    read_plain(state, what, to);
}

template <class T>
T value_on_top(lua_State* state, const Place& what) {
  T value{};
  read_value(state, what, value);
  return value;
}

// ---- the functions of the stores ------------------------------------------------------------------------------------

// A family of requests that tables can say: one a store.
struct Family {
  Request first;  // of its requests, to see which store answers them
  std::vector<StoreCall> calls;
};

template <class Family, class Asked>
Request read_request(lua_State* state, const char* what) {
  lua_settop(state, 1);
  return Family{struct_on_top<Asked>(state, Place{nullptr, what}, "timeout")};
}

template <class... Asked>
Family family_of(const std::variant<Asked...>& first) {
  static_assert((Sayable<Asked>::value && ...));
  Family family{Request{first}, {}};
  (family.calls.push_back({snake_case(names_of(Asked{}).type), read_request<std::variant<Asked...>, Asked>}),
   ...);
  std::ranges::sort(family.calls, {}, &StoreCall::name);
  return family;
}

// The stores that designs can have: a row for each here, and one for its replies in push_store_reply.
std::vector<Family> families() {
  return {family_of(redis::Request{}),     family_of(dynamodb::Request{}), family_of(blob_lease::Request{}),
          family_of(etcd::Request{}),      family_of(consul::Request{}),   family_of(queue::Request{}),
          family_of(zookeeper::Request{}), family_of(placement::Request{})};
}

// ---- to a table -----------------------------------------------------------------------------------------------------

// A name that the reply has not got; which it has is the upvalue.
int no_such_field(lua_State* state) {
  const std::string key = plain_text(state, 2);
  const FieldNames names{{}, lua_tostring(state, lua_upvalueindex(1))};
  std::vector<std::string_view> known;
  for (std::size_t i = 0, count = static_cast<std::size_t>(lua_tointeger(state, lua_upvalueindex(2)));
       i < count; ++i)
    known.push_back(names.name(i));
  if (std::find(known.begin(), known.end(), key) != known.end()) return lua_pushnil(state), 1;
  return luaL_error(state, "the reply has no `%s`; %s", key.c_str(), design::nearest(key, known).c_str());
}

void push_plain(lua_State* state, bool it) { lua_pushboolean(state, it); }
void push_plain(lua_State* state, std::int64_t it) { lua_pushinteger(state, it); }
void push_plain(lua_State* state, const std::string& it) { lua_pushlstring(state, it.data(), it.size()); }
void push_plain(lua_State* state, Duration it) { push(state, Kind::duration, it.ns()); }
template <class T>
void push_plain(lua_State* state, const std::optional<T>& it);
template <class T>
void push_plain(lua_State* state, const std::vector<T>& it);
template <class T>
void push_plain(lua_State* state, const std::map<std::string, T>& it);
template <class... T>
void push_plain(lua_State* state, const std::variant<T...>& it);

template <HasFields T>
void push_plain(lua_State* state, const T& it) {
  luaL_checkstack(state, 8, "tables in tables");
  lua_newtable(state);
  lua_Integer count = 0;
  visit_named_fields(it, [&](std::string_view name, const auto& field) {
    ++count;
    push_plain(state, field);
    lua_setfield(state, -2, std::string(name).c_str());
  });
  lua_createtable(state, 0, 2);
  const std::string_view list = names_of(it).list;
  lua_pushlstring(state, list.data(), list.size());
  lua_pushinteger(state, count);
  lua_pushcclosure(state, no_such_field, 2);
  lua_setfield(state, -2, "__index");
  lua_pushliteral(state, "locked");
  lua_setfield(state, -2, "__metatable");
  lua_setmetatable(state, -2);
}

template <class T>
void push_plain(lua_State* state, const std::optional<T>& it) {
  if (it)
    push_plain(state, *it);
  else
    lua_pushnil(state);
}
template <class T>
void push_plain(lua_State* state, const std::vector<T>& it) {
  lua_createtable(state, static_cast<int>(it.size()), 0);
  for (std::size_t i = 0; i < it.size(); ++i) {
    push_plain(state, it[i]);
    lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
  }
}
template <class T>
void push_plain(lua_State* state, const std::map<std::string, T>& it) {
  luaL_checkstack(state, 4, "tables in tables");
  lua_newtable(state);
  for (const auto& [name, value] : it) {
    lua_pushlstring(state, name.data(), name.size());
    push_plain(state, value);
    lua_rawset(state, -3);
  }
}
template <class... T>
void push_plain(lua_State* state, const std::variant<T...>& it) {
  std::visit(
      [state](const auto& one) {
        using One = std::remove_cvref_t<decltype(one)>;
        if constexpr (HasFields<One>) {
          lua_newtable(state);
          push_plain(state, one);
          lua_setfield(state, -2, snake_case(names_of(one).type).c_str());
        } else {
          push_plain(state, one);
        }
      },
      it);
}

// A reply that is called Failed is an error of the store, as it says it.
template <class One>
int push_one(lua_State* state, const One& one) {
  if (names_of(one).type != "Failed") return push_plain(state, one), 1;
  lua_pushnil(state);
  lua_createtable(state, 0, 4);
  lua_pushliteral(state, "failed");
  lua_setfield(state, -2, "kind");
  visit_named_fields(one, [state](std::string_view name, const auto& field) {
    push_plain(state, field);
    lua_setfield(state, -2, std::string(name).c_str());
  });
  return 2;
}

// How many values were pushed; none: it is of no such store.
template <class... Replies>
int push_first(lua_State* state, const Reply& reply) {
  int pushed = 0;
  const auto push_if = [&](const auto* family) {
    if (family != nullptr)
      pushed = std::visit([state](const auto& one) { return push_one(state, one); }, *family);
  };
  (push_if(message_as<Replies>(reply)), ...);
  return pushed;
}

}  // namespace

std::span<const StoreCall> calls_of(const StoreKind& store) {
  static const std::vector<Family> all = families();
  const auto machine = store.make();
  const auto found =
      std::ranges::find_if(all, [&machine](const Family& family) { return machine->handles(family.first); });
  return found == all.end() ? std::span<const StoreCall>{} : found->calls;
}

std::string stores_for_designs() {
  std::string names;
  for (const StoreKind* kind : store_kinds())
    if (!calls_of(*kind).empty()) names += (names.empty() ? "`" : ", `") + std::string(kind->name) + "`";
  return names;
}

int push_store_reply(lua_State* state, const Reply& reply) {
  const int pushed = push_first<redis::Reply, dynamodb::Reply, blob_lease::Reply, etcd::Reply, consul::Reply,
                                queue::Reply, zookeeper::Reply, placement::Reply>(state, reply);
  return pushed > 0 ? pushed : luaL_error(state, "a reply that is no table");
}

}  // namespace tenure::lua
