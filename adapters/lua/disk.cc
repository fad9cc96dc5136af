#include "adapters/lua/disk.h"

#include <array>
#include <charconv>
#include <lua.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/design/nearest.h"
#include "adapters/lua/api.h"
#include "adapters/lua/host.h"
#include "adapters/lua/instants.h"
#include "adapters/lua/options.h"
#include "adapters/lua/text.h"

namespace tenure::lua {
namespace {

// A value on the disk is a letter for its type, and text.
constexpr std::string_view kTimes = "dmws";  // by Kind

std::string key_at(lua_State* state, const char* what) {
  if (lua_type(state, 1) != LUA_TSTRING)
    luaL_error(state, "%s: a key is text, and not %s", what, what_stands_at(state, 1));
  std::size_t length = 0;
  const char* const text = lua_tolstring(state, 1, &length);
  return {text, length};
}

std::string text_to_write(lua_State* state, int index) {
  if (const auto kind = kind_at(state, index))
    return kTimes[static_cast<std::size_t>(*kind)] + std::to_string(*to(state, index, *kind));
  if (lua_type(state, index) == LUA_TBOOLEAN) return lua_toboolean(state, index) != 0 ? "b1" : "b0";
  if (lua_isinteger(state, index) != 0) return "i" + std::to_string(lua_tointeger(state, index));
  if (lua_type(state, index) == LUA_TSTRING) {
    std::size_t length = 0;
    const char* const text = lua_tolstring(state, index, &length);
    return "t" + std::string(text, length);
  }
  luaL_error(state,
             "t.disk.put: a value is text, a whole number, true or false, a duration or a time, and not %s",
             what_stands_at(state, index));
  return {};
}

void push_read(lua_State* state, std::string_view value) {
  const char type = value.front();
  value.remove_prefix(1);
  if (type == 't') {
    lua_pushlstring(state, value.data(), value.size());
    return;
  }
  std::int64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  if (type == 'b')
    lua_pushboolean(state, number != 0);
  else if (type == 'i')
    lua_pushinteger(state, number);
  else
    push(state, static_cast<Kind>(kTimes.find(type)), number);
}

}  // namespace

// As Api: one struct, so that a host has one more friend.
struct DiskApi {
  static int put(lua_State* state) {
    const std::string key = key_at(state, "t.disk.put");
    const std::string value = text_to_write(state, 2);
    const std::uint64_t write = env_of(state).disk.put(key, value);
    if (write == 0) return luaL_error(state, "t.disk.put: the disk is full");
    host_of(state).written_ = write;
    return 0;
  }

  static int get(lua_State* state) {
    const std::optional<std::string> value = env_of(state).disk.get(key_at(state, "t.disk.get"));
    if (!value) return 0;
    return push_read(state, *value), 1;
  }

  // What is put while it goes on is none of its business.
  static int sync(lua_State* state) {
    Env& env = env_of(state);
    Host::Task& task = waiter_of(state);
    task.until = env.clock.mono() + design::sync_time(env);
    task.waits = Host::Task::Waits::time;
    return wait_then(state, synced, static_cast<lua_KContext>(host_of(state).written_));
  }
  static int synced(lua_State* state, int, lua_KContext written) {
    env_of(state).disk.sync(static_cast<std::uint64_t>(written));
    return 0;
  }
};

namespace {

int no_such_name(lua_State* state) {
  constexpr std::array<std::string_view, 3> kNames = {"put", "get", "sync"};
  const std::string name = plain_text(state, 2);
  const std::string hint = design::nearest(name, kNames);
  return luaL_error(state, "there is no t.disk.%s; %s", name.c_str(), hint.c_str());
}

}  // namespace

void push_disk(lua_State* state) {
  constexpr luaL_Reg kDiskFunctions[] = {
      {"put", DiskApi::put}, {"get", DiskApi::get}, {"sync", DiskApi::sync}, {nullptr, nullptr}};
  luaL_newlib(state, kDiskFunctions);
  lua_createtable(state, 0, 1);
  lua_pushcfunction(state, no_such_name);
  lua_setfield(state, -2, "__index");
  lua_setmetatable(state, -2);
}

}  // namespace tenure::lua
