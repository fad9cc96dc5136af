#include "adapters/lua/answers.h"

#include <fmt/format.h>

#include <lua.hpp>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/design/nearest.h"
#include "adapters/lua/instants.h"
#include "adapters/lua/options.h"
#include "adapters/lua/text.h"
#include "core/model/describe.h"

namespace tenure::lua {
namespace {

char null_place = 0;  // its address is t.null

void push_value(lua_State* state, const statements::Value& value) {
  struct Push {
    lua_State* state;
    void operator()(statements::Null) const { lua_pushlightuserdata(state, &null_place); }
    void operator()(bool it) const { lua_pushboolean(state, it); }
    void operator()(std::int64_t it) const { lua_pushinteger(state, it); }
    void operator()(const std::string& it) const { lua_pushlstring(state, it.data(), it.size()); }
    void operator()(StoreTime it) const { push(state, Kind::store, it.ns()); }
    void operator()(Duration it) const { push(state, Kind::duration, it.ns()); }
  };
  std::visit(Push{state}, value);
}

constexpr const char* kRowType = "row";
constexpr const char* kRowsType = "rows";

// A name of a row that is no column of it.
int no_such_column(lua_State* state) {
  std::set<std::string> columns;
  for (lua_pushnil(state); lua_next(state, 1) != 0; lua_pop(state, 1))
    if (lua_type(state, -2) == LUA_TSTRING) columns.emplace(lua_tostring(state, -2));
  const std::string key = plain_text(state, 2);
  const std::string hint =
      design::nearest(key, std::vector<std::string_view>(columns.begin(), columns.end()));
  return luaL_error(state, "the row has no column `%s`; %s", key.c_str(), hint.c_str());
}

// rows[n] is nil when there are fewer.
int no_such_row(lua_State* state) {
  if (lua_isinteger(state, 2) != 0) return lua_pushnil(state), 1;
  const std::string key = plain_text(state, 2);
  return luaL_error(state,
                    "rows have no `%s`: there is rows.count, and a column of the first row is rows[1].name",
                    key.c_str());
}

// The type of the table on top.
void set_type(lua_State* state, const char* type, lua_CFunction index) {
  if (luaL_newmetatable(state, type) != 0) {
    lua_pushcfunction(state, index);
    lua_setfield(state, -2, "__index");
    lua_pushliteral(state, "locked");
    lua_setfield(state, -2, "__metatable");
  }
  lua_setmetatable(state, -2);
}

void push_rows(lua_State* state, const statements::SqlRows& rows) {
  lua_createtable(state, static_cast<int>(rows.rows.size()), 1);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    lua_newtable(state);
    for (std::size_t column = 0; column < rows.columns.size(); ++column) {
      push_value(state, rows.rows[i][column]);
      lua_setfield(state, -2, rows.columns[column].c_str());
    }
    set_type(state, kRowType, no_such_column);
    lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
  }
  lua_pushinteger(state, rows.count);
  lua_setfield(state, -2, "count");
  set_type(state, kRowsType, no_such_row);
}

int push_error(lua_State* state, const char* kind, const std::string& sqlstate, const std::string& message) {
  lua_pushnil(state);
  lua_newtable(state);
  lua_pushstring(state, kind);
  lua_setfield(state, -2, "kind");
  if (!sqlstate.empty()) {
    lua_pushlstring(state, sqlstate.data(), sqlstate.size());
    lua_setfield(state, -2, "sqlstate");
  }
  lua_pushlstring(state, message.data(), message.size());
  lua_setfield(state, -2, "message");
  return 2;
}

// The parameter `number` of a statement.
statements::Value value_at(lua_State* state, int index, int number) {
  switch (lua_type(state, index)) {
    case LUA_TBOOLEAN: return lua_toboolean(state, index) != 0;
    case LUA_TNUMBER:
      if (lua_isinteger(state, index)) return static_cast<std::int64_t>(lua_tointeger(state, index));
      luaL_error(state, "parameter %d is a fraction, and a statement takes whole numbers", number);
      break;
    case LUA_TSTRING: {
      std::size_t length = 0;
      const char* text = lua_tolstring(state, index, &length);
      return std::string(text, length);
    }
    case LUA_TLIGHTUSERDATA: return statements::Null{};
    default: break;
  }
  if (const auto length = to(state, index, Kind::duration)) return Duration::nanos(*length);
  if (const auto time = to(state, index, Kind::store)) return StoreTime::from_ns(*time);
  if (to(state, index, Kind::wall))
    luaL_error(
        state,
        "parameter %d is a time of the wall clock; t.as_store(x) gives it to the store as one of its own",
        number);
  luaL_error(state, "parameter %d is a %s", number, luaL_typename(state, index));
  return statements::Null{};
}

}  // namespace

void push_null(lua_State* state) { lua_pushlightuserdata(state, &null_place); }

statements::SqlStatement statement_at(lua_State* state, int index) {
  luaL_checktype(state, index, LUA_TTABLE);
  statements::SqlStatement statement;
  if (lua_rawgeti(state, index, 1) != LUA_TSTRING)
    luaL_error(state, "a statement is text, and its parameters follow: t.sql{[[SELECT …]], value, …}");
  std::size_t length = 0;
  const char* const text = lua_tolstring(state, -1, &length);
  statement.text.assign(text, length);
  lua_pop(state, 1);
  const auto count = static_cast<lua_Integer>(lua_rawlen(state, index));
  for (lua_Integer i = 2; i <= count; ++i) {
    lua_rawgeti(state, index, i);
    if (lua_isnil(state, -1))
      luaL_error(state, "parameter %d is nil; NULL is t.null", static_cast<int>(i - 1));
    statement.parameters.push_back(value_at(state, lua_gettop(state), static_cast<int>(i - 1)));
    lua_pop(state, 1);
  }
  return statement;
}

std::vector<statements::SqlStatement> statements_at(lua_State* state, int index) {
  std::vector<statements::SqlStatement> all;
  const auto count = static_cast<lua_Integer>(lua_rawlen(state, index));
  if (count == 0) luaL_error(state, "a transaction without a statement");
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(state, index, i);
    check_options(state, lua_gettop(state), "a statement of a transaction", {});
    all.push_back(statement_at(state, lua_gettop(state)));
    lua_pop(state, 1);
  }
  return all;
}

int push_refusal(lua_State* state, const StoreReplied& reply) {
  if (reply.outcome == RequestOutcome::unknown)
    return push_error(state, "unknown", {}, "no answer by the deadline: done, or not, or still to be");
  if (reply.outcome == RequestOutcome::rejected)
    return push_error(state, "rejected", {}, fmt::format("certainly not done: {}", name_of(reply.rejection)));
  return 0;
}

int push_answer(lua_State* state, const StoreReplied& reply, bool transaction) {
  if (const int refused = push_refusal(state, reply); refused > 0) return refused;
  const auto* answer = message_as<statements::Reply>(reply.reply);
  if (answer == nullptr) return push_error(state, "failed", {}, "the store answers no SQL");
  if (const auto* failed = std::get_if<statements::SqlFailed>(answer)) {
    // The engine does not run the statement at all: an error in the design, and no answer.
    if (failed->sqlstate.empty()) luaL_error(state, "%s", failed->message.c_str());
    return push_error(state, "failed", failed->sqlstate, failed->message);
  }
  const auto& results = std::get<statements::Executed>(*answer).results;
  if (!transaction) {
    push_rows(state, results.front());
    return 1;
  }
  lua_createtable(state, static_cast<int>(results.size()), 0);
  for (std::size_t i = 0; i < results.size(); ++i) {
    push_rows(state, results[i]);
    lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
  }
  return 1;
}

}  // namespace tenure::lua
