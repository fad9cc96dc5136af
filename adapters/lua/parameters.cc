#include "adapters/lua/parameters.h"

#include <lua.hpp>
#include <string_view>

#include "adapters/design/description.h"
#include "adapters/lua/instants.h"
#include "adapters/lua/sandbox.h"
#include "adapters/lua/text.h"

namespace tenure::lua {
namespace {

// Upvalue: the values.
int no_such_parameter(lua_State* state) {
  const auto& values = *static_cast<const Parameters*>(lua_touserdata(state, lua_upvalueindex(1)));
  const std::string key = plain_text(state, 2);
  const std::string hint = design::nearest_parameter(key, values);
  return luaL_error(state, "there is no parameter `%s`; %s", key.c_str(), hint.c_str());
}

struct Validation {
  const Design& design;
  const Parameters& values;
  std::vector<Complaint> complaints = {};
};

// One of the list that `validate` returns, on top: { "renew_period", "renew_period must be …" }.
void take_complaint(lua_State* state, Validation& validation) {
  if (!lua_istable(state, -1))
    luaL_error(state, "`validate` returns a list of { \"parameter\", \"what is wrong\" }");
  lua_rawgeti(state, -1, 1);
  lua_rawgeti(state, -2, 2);
  try {
    validation.complaints.push_back(
        design::complaint_about(plain_text(state, -2), plain_text(state, -1), validation.values));
  } catch (const design::Nonsense& nonsense) {
    luaL_error(state, "%s", nonsense.what.c_str());
  }
  lua_pop(state, 2);
}

int call_validate(lua_State* state) {
  auto& validation = *static_cast<Validation*>(lua_touserdata(state, lua_upvalueindex(1)));
  load(state, validation.design.chunk());
  lua_call(state, 0, 1);
  if (lua_getfield(state, -1, "validate") == LUA_TNIL) return 0;
  push_parameters(state, validation.values);
  lua_call(state, 1, 1);
  Sandbox::of(state).check_numbers(state);
  if (lua_isnil(state, -1)) return 0;
  if (!lua_istable(state, -1)) return luaL_error(state, "`validate` returns a list, or nothing");
  const auto count = static_cast<lua_Integer>(lua_rawlen(state, -1));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(state, -1, i);
    take_complaint(state, validation);
    lua_pop(state, 1);
  }
  return 0;
}

}  // namespace

void push_parameters(lua_State* state, const Parameters& values) {
  lua_newtable(state);
  for (std::size_t i = 0; i < values.specs().size(); ++i) {
    const ParameterSpec& spec = values.specs()[i];
    const std::int64_t value = values.value(static_cast<int>(i));
    if (spec.type == ParameterSpec::Type::duration)
      push(state, Kind::duration, value);
    else if (spec.type == ParameterSpec::Type::boolean)
      lua_pushboolean(state, value != 0);
    else if (spec.type == ParameterSpec::Type::choice)
      lua_pushstring(state, std::string(spec.choices[static_cast<std::size_t>(value)]).c_str());
    else
      lua_pushinteger(state, value);
    lua_setfield(state, -2, std::string(spec.name).c_str());
  }
  lua_createtable(state, 0, 1);
  lua_pushlightuserdata(state, const_cast<Parameters*>(&values));  // read only
  lua_pushcclosure(state, no_such_parameter, 1);
  lua_setfield(state, -2, "__index");
  lua_setmetatable(state, -2);
}

std::vector<Complaint> complaints_of(const Design& design, const Parameters& values) {
  Sandbox sandbox;
  lua_State* const state = sandbox.state();
  sandbox.begin_step();
  Validation validation{design, values};
  lua_pushlightuserdata(state, &validation);
  lua_pushcclosure(state, call_validate, 1);
  if (lua_pcall(state, 0, 0, 0) == LUA_OK) return validation.complaints;
  sandbox.end();
  return design::failed_validation(values, plain_text(state, -1));
}

}  // namespace tenure::lua
