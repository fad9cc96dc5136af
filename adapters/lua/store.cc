#include "adapters/lua/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <lua.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/design/nearest.h"
#include "adapters/lua/answers.h"
#include "adapters/lua/api.h"
#include "adapters/lua/host.h"
#include "adapters/lua/instants.h"
#include "adapters/lua/options.h"
#include "adapters/lua/store_calls.h"
#include "adapters/lua/text.h"
#include "sim/stores/statements/requests.h"

namespace tenure::lua {

// As Api: one struct, so that a host has one more friend.
struct StoreApi {
  // The `on` of the table at 1.
  static std::uint8_t lane_at_1(lua_State* state) {
    if (lua_getfield(state, 1, "on") != LUA_TNIL && lua_type(state, -1) != LUA_TSTRING)
      luaL_error(state, "`on` is the name of a connection, and not %s", what_stands_at(state, -1));
    const std::optional<std::uint8_t> lane =
        host_of(state).lanes_.find(lua_isnil(state, -1) ? std::string{} : plain_text(state, -1));
    if (!lane)
      luaL_error(state, "more than %d named connections", static_cast<int>(design::Lanes::kMostNames));
    lua_settop(state, 1);
    return *lane;
  }

  // The `timeout` of the table at 1.
  static Duration timeout_at_1(lua_State* state) {
    lua_getfield(state, 1, "timeout");
    const Duration timeout =
        lua_isnil(state, -1) ? kRequestTimeout : check_duration(state, lua_gettop(state), "timeout");
    lua_settop(state, 1);
    return timeout;
  }

  // Nothing of it is left when the task waits: what a waiting function still holds is unwound each time.
  static void submit(lua_State* state, Request request, Duration timeout, std::uint8_t lane = 0,
                     StoreId store = {}) {
    Host& of = host_of(state);
    Env& world = env_of(state);
    Host::Task& task = waiter_of(state);
    Submission submission;
    submission.store = {of.setup_.store.value + store.value};
    submission.part = of.part_;
    submission.request = std::move(request);
    submission.deadline = world.clock.mono() + timeout;
    submission.lane = lane;
    task.request = world.store.submit(std::move(submission));
    task.waits = Host::Task::Waits::store;
  }
  static StoreReplied reply_of(lua_State* state) {
    return std::move(*std::exchange(host_of(state).running().reply, std::nullopt));
  }

  // ---- a schema of its own ----

  static void submit_statements(lua_State* state, std::vector<statements::SqlStatement> statements,
                                const char* what) {
    constexpr std::array<std::string_view, 2> kOptions = {"timeout", "on"};
    check_options(state, 1, what, kOptions);
    const Duration timeout = timeout_at_1(state);
    const std::uint8_t lane = lane_at_1(state);
    Host& of = host_of(state);
    if (of.design_.kind().store == nullptr || of.design_.names_store())
      luaL_error(state, "a statement needs a database: the design has no `schema`");
    submit(state, statements::Request{statements::Execute{of.setup_.resource, std::move(statements)}},
           timeout, lane);
  }
  static int answered(lua_State* state, int, lua_KContext transaction) {
    return push_answer(state, reply_of(state), transaction != 0);
  }
  static int sql(lua_State* state) {
    if (!lua_istable(state, 1))
      return luaL_error(state, "t.sql takes a table: t.sql{[[SELECT …]], value, …}");
    submit_statements(state, {statement_at(state, 1)}, "t.sql");
    return wait_then(state, answered);
  }
  static int transaction(lua_State* state) {
    luaL_checktype(state, 1, LUA_TTABLE);
    submit_statements(state, statements_at(state, 1), "t.transaction");
    return wait_then(state, answered, 1);
  }

  // ---- a store that others have made ----

  static const StoreKind& named_store(lua_State* state) { return *host_of(state).design_.kind().store; }

  static int store(lua_State* state) {
    const Design& design = host_of(state).design_;
    if (!design.names_store())
      return luaL_error(state, "the design names no store, as in stores = { \"redis\" }");
    const std::string name = plain_text(state, 1);
    const std::string_view own = named_store(state).name;
    if (name != own)
      return luaL_error(state, "the design has no store `%s`; it has `%s`", name.c_str(),
                        std::string(own).c_str());
    const lua_Integer servers = design.kind().stores;
    const lua_Integer server = luaL_optinteger(state, 2, 1);
    if (server < 1 || server > servers)
      return luaL_error(state, "the design has %I of `%s`, and not number %I", servers, name.c_str(), server);
    lua_newtable(state);
    lua_createtable(state, 0, 2);
    lua_pushinteger(state, server - 1);
    lua_pushcclosure(state, find_call, 1);
    lua_setfield(state, -2, "__index");
    lua_pushliteral(state, "locked");
    lua_setfield(state, -2, "__metatable");
    lua_setmetatable(state, -2);
    return 1;
  }
  // A function has a name from its first use on, as those of `t`.
  static int find_call(lua_State* state) {
    const StoreKind& kind = named_store(state);
    const std::span<const StoreCall> calls = host_of(state).design_.calls();
    const std::string name = plain_text(state, 2);
    const auto found = std::ranges::find(calls, name, &StoreCall::name);
    if (found == calls.end()) {
      const std::vector<std::string_view> known = [&calls] {
        std::vector<std::string_view> names;
        for (const StoreCall& each : calls) names.push_back(each.name);
        return names;
      }();
      return luaL_error(state, "%s has no `%s`; %s", std::string(kind.name).c_str(), name.c_str(),
                        design::nearest(name, known).c_str());
    }
    lua_pushinteger(state, found - calls.begin());
    lua_pushfstring(state, "%s.%s", std::string(kind.name).c_str(), name.c_str());
    lua_pushvalue(state, lua_upvalueindex(1));
    lua_pushcclosure(state, call, 3);
    lua_pushvalue(state, 2);
    lua_pushvalue(state, -2);
    lua_rawset(state, 1);
    return 1;
  }
  // A function of its own, for what submit() says of waiting.
  static void submit_call(lua_State* state) {
    const Host& of = host_of(state);
    const char* const what = lua_tostring(state, lua_upvalueindex(2));
    const auto place = static_cast<std::size_t>(lua_tointeger(state, lua_upvalueindex(1)));
    Request request = of.design_.calls()[place].read(state, what);
    const StoreId server{static_cast<std::uint32_t>(lua_tointeger(state, lua_upvalueindex(3)))};
    submit(state, std::move(request), timeout_at_1(state), 0, server);
  }
  static int call_answered(lua_State* state, int, lua_KContext) {
    const StoreReplied reply = reply_of(state);
    const int refused = push_refusal(state, reply);
    return refused > 0 ? refused : push_store_reply(state, reply.reply);
  }
  static int call(lua_State* state) {
    submit_call(state);
    return wait_then(state, call_answered);
  }
};

const luaL_Reg* store_functions() {
  static constexpr luaL_Reg kFunctions[] = {{"sql", StoreApi::sql},
                                            {"transaction", StoreApi::transaction},
                                            {"store", StoreApi::store},
                                            {nullptr, nullptr}};
  return kFunctions;
}

}  // namespace tenure::lua
