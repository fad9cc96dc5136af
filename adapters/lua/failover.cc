#include "adapters/lua/failover.h"

#include <lua.hpp>
#include <string>

#include "adapters/lua/instants.h"
#include "adapters/lua/options.h"
#include "adapters/lua/parameters.h"
#include "adapters/lua/sandbox.h"
#include "adapters/lua/text.h"
#include "core/base/readable_text.h"
#include "core/model/duration_text.h"

namespace tenure::lua {
namespace {

struct Asking {
  const Design& design;
  const Parameters& values;
  const FailoverTerms& terms;
  SaidFailover said = {};
};

void push_spread(lua_State* state, const Spread& spread) {
  lua_newtable(state);
  const struct {
    const char* name;
    Duration length;
  } rows[] = {
      {"least", spread.least}, {"mean", spread.mean}, {"most", spread.most}, {"width", spread.width()}};
  for (const auto& row : rows) {
    push(state, Kind::duration, row.length.ns());
    lua_setfield(state, -2, row.name);
  }
}

// `d`: what the cluster adds to the parameters.
void push_terms(lua_State* state, const FailoverTerms& terms) {
  lua_newtable(state);
  push_spread(state, terms.trip);
  lua_setfield(state, -2, "trip");
  push_spread(state, terms.back);
  lua_setfield(state, -2, "back");
  push(state, Kind::duration, terms.departure.ns());
  lua_setfield(state, -2, "departure");
  lua_pushinteger(state, terms.standbys);
  lua_setfield(state, -2, "standbys");
  lua_pushcfunction(state, [](lua_State* of) {
    push(of, Kind::duration, check_duration(of, 1, "d.duration").ns());
    return 1;
  });
  lua_setfield(state, -2, "duration");
}

Duration length_at(lua_State* state, const char* name) {
  lua_getfield(state, -1, name);
  const Duration length = check_duration(state, -1, name);
  lua_pop(state, 1);
  return length;
}

// The table on top, as a form.
void take_form(lua_State* state, SaidFailover& said) {
  constexpr std::string_view kKeys[] = {"least", "mean", "most", "formula"};
  check_options(state, lua_gettop(state), "failover", kKeys);
  FailoverForm form;
  form.least = length_at(state, "least");
  form.most = length_at(state, "most");
  if (lua_getfield(state, -1, "mean") != LUA_TNIL) form.mean = check_duration(state, -1, "mean");
  lua_pop(state, 1);
  if (lua_getfield(state, -1, "formula") != LUA_TSTRING)
    luaL_error(state, "`failover` returns a `formula`: the text that people read");
  form.formula = readable_text(plain_text(state, -1));
  lua_pop(state, 1);
  const Duration mean = form.mean.value_or(form.least);
  if (form.least > mean || mean > form.most || form.least == form.most)
    luaL_error(state, "`failover` returns least (%s), mean and most (%s), and they are not in this order",
               print_duration(form.least).c_str(), print_duration(form.most).c_str());
  said.form = std::move(form);
}

int call_failover(lua_State* state) {
  auto& asking = *static_cast<Asking*>(lua_touserdata(state, lua_upvalueindex(1)));
  load(state, asking.design.chunk());
  lua_call(state, 0, 1);
  lua_getfield(state, -1, "failover");
  push_parameters(state, asking.values);
  push_terms(state, asking.terms);
  lua_call(state, 2, 1);
  Sandbox::of(state).check_numbers(state);
  if (lua_isnil(state, -1)) return 0;
  if (!lua_istable(state, -1))
    return luaL_error(state,
                      "`failover` returns { least = …, mean = …, most = …, formula = \"…\" }, or nothing");
  take_form(state, asking.said);
  return 0;
}

}  // namespace

SaidFailover failover_of(const Design& design, const Parameters& values, const FailoverTerms& terms) {
  Sandbox sandbox;
  lua_State* const state = sandbox.state();
  sandbox.begin_step();
  Asking asking{design, values, terms};
  lua_pushlightuserdata(state, &asking);
  lua_pushcclosure(state, call_failover, 1);
  if (lua_pcall(state, 0, 0, 0) == LUA_OK) return asking.said;
  sandbox.end();
  return {std::nullopt, readable_text(plain_text(state, -1))};
}

}  // namespace tenure::lua
