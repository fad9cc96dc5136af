#include "adapters/lua/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <lua.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/design/nearest.h"
#include "adapters/lua/answers.h"
#include "adapters/lua/disk.h"
#include "adapters/lua/host.h"
#include "adapters/lua/instants.h"
#include "adapters/lua/options.h"
#include "adapters/lua/parameters.h"
#include "adapters/lua/prelude.h"
#include "adapters/lua/sandbox.h"
#include "adapters/lua/store.h"
#include "adapters/lua/text.h"
#include "adapters/lua/work.h"
#include "core/model/describe.h"

namespace tenure::lua {

void set_host(lua_State* state, Host* host) { *static_cast<Host**>(lua_getextraspace(state)) = host; }

Host& host_of(lua_State* state) { return **static_cast<Host**>(lua_getextraspace(state)); }

Env& env_of(lua_State* state) {
  Env* const env = host_of(state).env_;
  if (env == nullptr) luaL_error(state, "this is only for node(t)");
  return *env;
}

Host::Task& waiter_of(lua_State* state) {
  if (lua_isyieldable(state) == 0) luaL_error(state, "what sorts or compares cannot wait");
  return host_of(state).running();
}

// The functions of `t`; one struct, so that a host has one friend.
struct Api {
  // ---- tasks and time ----

  static int spawn(lua_State* state) {
    const bool named = lua_type(state, 1) == LUA_TSTRING;
    if (lua_type(state, named ? 2 : 1) != LUA_TFUNCTION)
      return luaL_error(state, "t.spawn takes a function, or a name and a function");
    const std::string name = named ? lua_tostring(state, 1) : "task";
    lua_settop(state, named ? 2 : 1);
    const int number = host_of(state).spawn(state, 0, name);
    lua_newtable(state);
    lua_pushinteger(state, number);
    lua_pushcclosure(
        state,
        [](lua_State* of) {
          host_of(of).cancel(static_cast<int>(lua_tointeger(of, lua_upvalueindex(1))));
          return 0;
        },
        1);
    lua_setfield(state, -2, "cancel");
    return 1;
  }

  static int sleep(lua_State* state) {
    const Duration length = check_duration(state, 1, "t.sleep");
    Host::Task& task = waiter_of(state);
    task.until = env_of(state).clock.mono() + length;
    task.waits = Host::Task::Waits::time;
    return wait_then(state);
  }

  static int mono(lua_State* state) { return push(state, Kind::mono, env_of(state).clock.mono().ns()), 1; }
  static int wall(lua_State* state) { return push(state, Kind::wall, env_of(state).clock.wall().ns()), 1; }
  static int duration(lua_State* state) {
    return push(state, Kind::duration, check_duration(state, 1, "t.duration").ns()), 1;
  }
  static int take_for(lua_State* state, Kind from, Kind as, const char* what) {
    const auto time = to(state, 1, from);
    if (!time) return luaL_error(state, "%s, and not %s", what, what_stands_at(state, 1));
    return push(state, as, *time), 1;
  }
  static int as_wall(lua_State* state) {
    return take_for(state, Kind::store, Kind::wall, "t.as_wall takes a time that a store gave");
  }
  static int unix_ms(lua_State* state) {
    auto time = to(state, 1, Kind::wall);
    if (!time) time = to(state, 1, Kind::store);
    if (!time)
      return luaL_error(state, "t.unix_ms takes a time of the wall clock or of a store, and not %s",
                        what_stands_at(state, 1));
    lua_pushinteger(state, *time / Duration::millis(1).ns());
    return 1;
  }
  static int as_store(lua_State* state) {
    return take_for(state, Kind::wall, Kind::store, "t.as_store takes a time of the wall clock");
  }

  // ---- events: what the prelude is made of ----

  static int wait_for(lua_State* state) {
    Host::Task& task = waiter_of(state);
    const auto until = to(state, 1, Kind::mono);
    task.until = until ? MonoTime::from_ns(*until) : MonoTime::max();
    task.events.clear();
    for (int i = 2; i <= lua_gettop(state); ++i)
      task.events.push_back(static_cast<int>(luaL_checkinteger(state, i)));
    task.waits = Host::Task::Waits::event;
    return wait_then(state);
  }
  // For functions of the prelude that have no other option: their table, and their name.
  static int check_timeout(lua_State* state) {
    constexpr std::array<std::string_view, 1> kOptions = {"timeout"};
    check_options(state, 1, lua_tostring(state, 2), kOptions);
    return 0;
  }
  static int wake(lua_State* state) {
    host_of(state).wake_for_event(static_cast<int>(luaL_checkinteger(state, 1)));
    return 0;
  }

  // ---- messages ----

  static void not_of_schedulers(lua_State* state, const char* what) {
    if (host_of(state).setup_.role == Role::scheduler)
      luaL_error(state, "%s is its election's business, and this design is a scheduler", what);
  }

  static int send(lua_State* state) {
    not_of_schedulers(state, "t.send");
    const lua_Integer to = luaL_checkinteger(state, 1);
    if (to < 1 || to > host_of(state).cluster_size_)
      return luaL_error(state, "there is no node %d", static_cast<int>(to));
    Message message;
    message.kind = luaL_checkstring(state, 2);
    for (int i = 3; i <= lua_gettop(state); ++i) message.words.push_back(luaL_checkinteger(state, i));
    env_of(state).network.send(NodeId{static_cast<std::uint32_t>(to - 1)}, std::move(message));
    return 0;
  }
  static int receive(lua_State* state) {
    not_of_schedulers(state, "t.receive");
    if (!host_of(state).letters_.empty()) return received(state, LUA_OK, 0);
    waiter_of(state).waits = Host::Task::Waits::message;
    return wait_then(state, received);
  }
  static int received(lua_State* state, int, lua_KContext) {
    std::vector<Host::Letter>& letters = host_of(state).letters_;
    if (letters.empty()) {  // another task was faster
      waiter_of(state).waits = Host::Task::Waits::message;
      return wait_again(state, received);
    }
    const Host::Letter letter = std::move(letters.front());
    letters.erase(letters.begin());
    lua_pushinteger(state, letter.from.value + 1);
    lua_pushlstring(state, letter.message.kind.data(), letter.message.kind.size());
    luaL_checkstack(state, static_cast<int>(letter.message.words.size()), "a message of too many words");
    for (const std::int64_t word : letter.message.words) lua_pushinteger(state, word);
    return 2 + static_cast<int>(letter.message.words.size());
  }

  // ---- belief ----

  static int believe(lua_State* state) {
    constexpr std::array<std::string_view, 4> kOptions = {"until_mono", "until_wall", "open", "token"};
    check_options(state, 1, "t.believe", kOptions);
    Host& of = host_of(state);
    not_of_schedulers(state, "t.believe");
    std::optional<Until> until;
    int said = 0;
    lua_getfield(state, 1, "until_mono");
    if (!lua_isnil(state, -1)) {
      const auto time = to(state, -1, Kind::mono);
      if (!time)
        luaL_error(state, "until_mono must be a time of the monotonic clock, like t.mono() + \"5s\"");
      until = MonoTime::from_ns(*time);
      ++said;
    }
    lua_getfield(state, 1, "until_wall");
    if (!lua_isnil(state, -1)) {
      const auto time = to(state, -1, Kind::wall);
      if (!time && to(state, -1, Kind::store))
        luaL_error(
            state,
            "until_wall is a store's time; t.as_wall(x) takes it for the wall clock's, which need not agree");
      if (!time) luaL_error(state, "until_wall must be a time of the wall clock, like t.wall() + \"5s\"");
      until = WallTime::from_ns(*time);
      ++said;
    }
    lua_getfield(state, 1, "open");
    if (lua_toboolean(state, -1) != 0) {
      until = Open{};
      ++said;
    }
    lua_getfield(state, 1, "token");
    if (said != 1) luaL_error(state, "t.believe takes one of until_mono, until_wall, open = true");
    std::optional<std::int64_t> token;
    if (!lua_isnil(state, -1)) token = lua_isinteger(state, -1) != 0 ? lua_tointeger(state, -1) : 0;
    const std::string_view problem = design::problem_of_token(of.design_.kind().has_tokens, token);
    if (!problem.empty()) luaL_error(state, "t.believe: %s", problem.data());
    of.wake_for_event(Host::kBeliefChanged);
    of.life_.believe(*until, design::token_of(token), env_of(state));
    return 0;
  }
  static int step_down(lua_State* state) {
    std::string why = "says so";
    if (lua_istable(state, 1)) {
      if (lua_getfield(state, 1, "message") == LUA_TSTRING) why = lua_tostring(state, -1);
    } else if (lua_isstring(state, 1) != 0) {
      why = lua_tostring(state, 1);
    }
    static_cast<void>(env_of(state));
    not_of_schedulers(state, "t.step_down");
    host_of(state).step_down(why);
    return 0;
  }

  // ---- the rest ----

  static int random(lua_State* state) {
    const lua_Integer most = luaL_checkinteger(state, 1);
    if (most < 1) return luaL_error(state, "t.random(n) draws from 1 to n, and n is %I", most);
    lua_pushinteger(state, 1 + static_cast<lua_Integer>(
                                   env_of(state).random.choose(static_cast<std::uint64_t>(most), "lua")));
    return 1;
  }
  static int log(lua_State* state) {
    lua_settop(state, 2);
    design::Life::remark(plain_text(state, 1), luaL_optinteger(state, 2, 0), env_of(state));
    return 0;
  }
  static int on_stop(lua_State* state) {
    luaL_checktype(state, 1, LUA_TFUNCTION);
    lua_settop(state, 1);
    Host& of = host_of(state);
    of.cancel(of.on_stop_);
    of.on_stop_ = of.spawn(state, 0, "on_stop");
    of.tasks_.back().waits = Host::Task::Waits::stop;
    return 0;
  }

  // A field of `t` that is no function, on top; false: there is none of this name.
  static bool push_field(lua_State* state, std::string_view name) {
    const Host& of = host_of(state);
    if (name == "me")
      lua_pushstring(state, describe(of.self_.node).c_str());
    else if (name == "number")
      lua_pushinteger(state, of.self_.node.value + 1);
    else if (name == "identity")
      lua_pushstring(state, fmt::format("{}#{}", describe(of.self_.node), of.self_.number).c_str());
    else if (name == "nodes")
      lua_pushinteger(state, of.cluster_size_);
    else if (name == "p")
      push_parameters(state, of.setup_.parameters);
    else if (name == "null")
      push_null(state);
    else if (name == "disk")
      push_disk(state);
    else
      return false;
    return true;
  }
};

namespace {

// Names of `t` that somebody may look for, and why there is none.
constexpr std::pair<std::string_view, const char*> kAbsent[] = {
    {"watch", "no store of a design tells anybody of a change; poll it with t.every"},
};

constexpr std::string_view kFields[] = {"me", "number", "identity", "nodes", "p", "null", "disk"};

const std::map<std::string_view, lua_CFunction>& functions() {
  static const auto all = [] {
    std::map<std::string_view, lua_CFunction> made = {
        {"spawn", Api::spawn},       {"sleep", Api::sleep},       {"mono", Api::mono},
        {"wall", Api::wall},         {"duration", Api::duration}, {"as_wall", Api::as_wall},
        {"as_store", Api::as_store}, {"unix_ms", Api::unix_ms},   {"send", Api::send},
        {"receive", Api::receive},   {"believe", Api::believe},   {"step_down", Api::step_down},
        {"random", Api::random},     {"log", Api::log},           {"on_stop", Api::on_stop}};
    for (const luaL_Reg* more : {work_functions(), store_functions()})
      for (const luaL_Reg* each = more; each->name != nullptr; ++each) made.emplace(each->name, each->func);
    return made;
  }();
  return all;
}

// Into `t`, which stands at 1.
void run_prelude(lua_State* state) {
  load(state, prelude());
  lua_pushvalue(state, 1);
  for (const lua_CFunction each :
       {lua_CFunction{Api::wait_for}, lua_CFunction{Api::wake}, lua_CFunction{leads_until},
        lua_CFunction{believes}, lua_CFunction{Api::check_timeout}})
    lua_pushcfunction(state, each);
  lua_call(state, 6, 0);
}

int refuse_name(lua_State* state, const std::string& name) {
  for (const auto& [absent, why] : kAbsent)
    if (name == absent) return luaL_error(state, "there is no t.%s: %s", name.c_str(), why);
  std::set<std::string_view> known(std::begin(kFields), std::end(kFields));
  known.insert(std::begin(kInPrelude), std::end(kInPrelude));
  for (const auto& [function, unused] : functions()) known.insert(function);
  const std::string hint = design::nearest(name, std::vector<std::string_view>(known.begin(), known.end()));
  return luaL_error(state, "there is no t.%s; %s", name.c_str(), hint.c_str());
}

// `t` has a name from its first use on: a life uses a few of them, and most lives are short.
int find_name(lua_State* state) {
  const std::string name = plain_text(state, 2);
  const auto function = functions().find(name);
  if (std::find(std::begin(kInPrelude), std::end(kInPrelude), name) != std::end(kInPrelude)) {
    run_prelude(state);
    lua_pushvalue(state, 2);
    return lua_rawget(state, 1), 1;
  }
  if (function != functions().end())
    lua_pushcfunction(state, function->second);
  else if (!Api::push_field(state, name))
    return refuse_name(state, name);
  lua_pushvalue(state, 2);
  lua_pushvalue(state, -2);
  lua_rawset(state, 1);
  return 1;
}

}  // namespace

void push_api(lua_State* state) {
  lua_newtable(state);
  lua_createtable(state, 0, 2);
  lua_pushcfunction(state, find_name);
  lua_setfield(state, -2, "__index");
  lua_pushliteral(state, "locked");
  lua_setfield(state, -2, "__metatable");
  lua_setmetatable(state, -2);
}

}  // namespace tenure::lua
