#include "adapters/lua/work.h"

#include <array>
#include <lua.hpp>
#include <optional>
#include <string>

#include "adapters/lua/answers.h"
#include "adapters/lua/api.h"
#include "adapters/lua/host.h"
#include "adapters/lua/instants.h"
#include "adapters/lua/options.h"
#include "adapters/lua/rule.h"
#include "core/model/describe.h"

namespace tenure::lua {
namespace {

constexpr const char* kTokenType = "token";

const Token* token_at(lua_State* state, int index) {
  return static_cast<const Token*>(luaL_testudata(state, index, kTokenType));
}

int token_text(lua_State* state) {
  const std::string text = describe(*token_at(state, 1));
  lua_pushlstring(state, text.data(), text.size());
  return 1;
}

int tokens_equal(lua_State* state) {
  const Token* const one = token_at(state, 1);
  const Token* const other = token_at(state, 2);
  lua_pushboolean(state, one != nullptr && other != nullptr && *one == *other);
  return 1;
}

}  // namespace

// As Api: one struct, so that a host has one more friend.
struct WorkApi {
  static Leadership leadership(lua_State* state) { return host_of(state).leadership(env_of(state).clock); }
  static bool believes_now(lua_State* state) { return leadership(state).leads(env_of(state).clock.mono()); }

  static int believes(lua_State* state) { return lua_pushboolean(state, believes_now(state)), 1; }

  // A program that works checks before it acts: the moment at which classic zombie writes begin.
  static int leads(lua_State* state) {
    const bool leads = believes_now(state);
    Host& of = host_of(state);
    if (leads && (of.setup_.role != Role::elector || of.design_.kind().writes))
      env_of(state).journal.note(LeadershipChecked{of.setup_.resource});
    return lua_pushboolean(state, leads), 1;
  }

  static int leads_until(lua_State* state) {
    const MonoTime until = leadership(state).believed_until;
    if (until == MonoTime::max()) return 0;
    return push(state, Kind::mono, until.ns()), 1;
  }

  static int token(lua_State* state) {
    const std::optional<Token> token = believes_now(state) ? leadership(state).token : std::nullopt;
    if (!token) return 0;
    *static_cast<Token*>(lua_newuserdatauv(state, sizeof *token, 0)) = *token;
    if (luaL_newmetatable(state, kTokenType) != 0) {
      constexpr luaL_Reg kMethods[] = {
          {"__tostring", token_text}, {"__eq", tokens_equal}, {nullptr, nullptr}};
      luaL_setfuncs(state, kMethods, 0);
      lua_pushliteral(state, "locked");
      lua_setfield(state, -2, "__metatable");
    }
    lua_setmetatable(state, -2);
    return 1;
  }

  // The option `token`; without it, what the leadership has now.
  static std::optional<Token> token_of(lua_State* state, const char* what) {
    lua_getfield(state, 1, "token");
    std::optional<Token> token;
    if (const Token* given = token_at(state, -1))
      token = *given;
    else if (lua_isinteger(state, -1) != 0)
      token = Token{1, static_cast<std::uint64_t>(lua_tointeger(state, -1)), 0};
    else if (lua_isnil(state, -1))
      token = leadership(state).token;
    else
      luaL_error(state, "%s: token is t.token() or a whole number, and not a %s", what,
                 luaL_typename(state, -1));
    lua_pop(state, 1);
    return token;
  }

  static int run(lua_State* state) {
    constexpr std::array<std::string_view, 4> kOptions = {"schedule", "slot", "token", "once"};
    check_options(state, 1, "t.run", kOptions);
    Host& of = host_of(state);
    if (of.setup_.role == Role::elector)
      luaL_error(state, "t.run is for a scheduler: role = \"scheduler\", or \"both\"");
    lua_getfield(state, 1, "schedule");
    const lua_Integer schedule = lua_isinteger(state, -1) != 0 ? lua_tointeger(state, -1) : 0;
    if (schedule < 1 || schedule > of.setup_.schedules)
      luaL_error(state, "t.run: `schedule` is the id that put_schedule was given, from 1 to %d",
                 static_cast<int>(of.setup_.schedules));
    lua_getfield(state, 1, "slot");
    const auto slot = to(state, -1, Kind::store);
    if (!slot || *slot % Duration::micros(1).ns() != 0)
      luaL_error(state, "t.run: `slot` is a time of the store, in whole microseconds, like a row's next_run");
    lua_getfield(state, 1, "once");
    WorkItem item;
    item.resource = of.setup_.resource;
    item.event = {ScheduleId{static_cast<std::uint32_t>(schedule - 1)}, StoreTime::from_ns(*slot), 0};
    item.once = lua_toboolean(state, -1) != 0;
    lua_settop(state, 1);
    item.token = token_of(state, "t.run");
    Host::Task& task = waiter_of(state);
    task.work = item.event;
    task.waits = Host::Task::Waits::work;
    env_of(state).work.execute(item);
    return wait_then(state, ran);
  }
  static int ran(lua_State* state, int, lua_KContext) {
    const std::string_view result = name_of(host_of(state).running().result);
    lua_pushlstring(state, result.data(), result.size());
    return 1;
  }

  static int slot_after(lua_State* state) {
    if (lua_type(state, 1) != LUA_TSTRING)
      return luaL_error(state, "t.slot_after takes a rule, which put_schedule is given as s.rule, and not %s",
                        what_stands_at(state, 1));
    const auto after = to(state, 2, Kind::store);
    if (!after)
      return luaL_error(state, "t.slot_after takes a time of the store, and not %s",
                        what_stands_at(state, 2));
    const Parsed<Definition> rule = read_rule(lua_tostring(state, 1), host_of(state).design_.zones());
    if (!rule.value)
      return luaL_error(state, "t.slot_after: the rule `%s`: %s", lua_tostring(state, 1),
                        rule.problem.c_str());
    const auto slot = tenure::slot_after(*rule.value, StoreTime::from_ns(*after));
    if (slot)
      push(state, Kind::store, slot->ns());
    else
      push_null(state);
    return 1;
  }

  static int write(lua_State* state) {
    constexpr std::array<std::string_view, 2> kOptions = {"token", "timeout"};
    check_options(state, 1, "t.write", kOptions);
    Host& of = host_of(state);
    if (of.setup_.role == Role::scheduler)
      luaL_error(state, "t.write is an election's own; t.run does the work of a slot");
    if (!of.design_.kind().writes)
      luaL_error(state, "write t.write{…} out: the checkers know by these letters that the design writes");
    lua_getfield(state, 1, "timeout");
    const Duration timeout =
        lua_isnil(state, -1) ? kRequestTimeout : check_duration(state, lua_gettop(state), "timeout");
    const WriteItem item{of.setup_.resource, ++of.writes_, token_of(state, "t.write")};
    Host::Task& task = waiter_of(state);
    task.write = item.number;
    task.written.reset();
    task.until = env_of(state).clock.mono() + timeout;
    task.waits = Host::Task::Waits::write;
    env_of(state).work.write(item);
    return wait_then(state, wrote);
  }
  static int wrote(lua_State* state, int, lua_KContext) {
    const std::optional<WriteDone>& written = host_of(state).running().written;
    return lua_pushstring(state, !written ? "unknown" : written->fenced ? "fenced" : "done"), 1;
  }
};

const luaL_Reg* work_functions() {
  static constexpr luaL_Reg kWorkFunctions[] = {
      {"leads", WorkApi::leads}, {"token", WorkApi::token},           {"run", WorkApi::run},
      {"write", WorkApi::write}, {"slot_after", WorkApi::slot_after}, {nullptr, nullptr}};
  return kWorkFunctions;
}

int believes(lua_State* state) { return WorkApi::believes(state); }
int leads_until(lua_State* state) { return WorkApi::leads_until(state); }

}  // namespace tenure::lua
