#include "adapters/lua/edit.h"

#include <fmt/format.h>

#include <lua.hpp>
#include <vector>

#include "adapters/lua/answers.h"
#include "adapters/lua/instants.h"
#include "adapters/lua/rule.h"
#include "adapters/lua/sandbox.h"
#include "adapters/lua/text.h"
#include "core/base/readable_text.h"
#include "sim/stores/statements/requests.h"

namespace tenure::lua {
namespace {

struct EditCall {
  const Design& design;
  const ScheduleEdit& edit;
  statements::EditSchedule made = {};

  const char* function() const { return edit.definition != nullptr ? "put_schedule" : "delete_schedule"; }
};

// The schedule, for the design: { id, name, now, first, period, rule, paused }.
void push_schedule(lua_State* state, const ScheduleEdit& edit) {
  lua_newtable(state);
  lua_pushinteger(state, static_cast<lua_Integer>(edit.schedule.value) + 1);
  lua_setfield(state, -2, "id");
  lua_pushlstring(state, edit.name.data(), edit.name.size());
  lua_setfield(state, -2, "name");
  push(state, Kind::store, edit.now.ns());
  lua_setfield(state, -2, "now");
  if (edit.definition == nullptr) return;
  const auto first = slot_at_or_after(*edit.definition, edit.now);
  if (first)
    push(state, Kind::store, first->ns());
  else
    push_null(state);
  lua_setfield(state, -2, "first");
  const auto* interval = std::get_if<Interval>(&edit.definition->recurrence);
  if (interval != nullptr)
    push(state, Kind::duration, interval->period.ns());
  else
    push_null(state);
  lua_setfield(state, -2, "period");
  lua_pushstring(state, print_rule(*edit.definition).c_str());
  lua_setfield(state, -2, "rule");
  lua_pushboolean(state, edit.definition->paused);
  lua_setfield(state, -2, "paused");
}

int call_edit(lua_State* state) {
  auto& call = *static_cast<EditCall*>(lua_touserdata(state, lua_upvalueindex(1)));
  load(state, call.design.chunk());
  lua_call(state, 0, 1);
  if (lua_getfield(state, -1, call.function()) != LUA_TFUNCTION)
    return luaL_error(state, "the scenario deletes a schedule, and the design has no `%s`", call.function());
  push_schedule(state, call.edit);
  lua_call(state, 1, 1);
  if (!lua_istable(state, -1))
    return luaL_error(state, "`%s` must return a statement: { [[…]], value, … }, or a list of them",
                      call.function());
  const int table = lua_gettop(state);
  if (lua_rawgeti(state, table, 1) == LUA_TTABLE)
    call.made.statements = statements_at(state, table);
  else
    call.made.statements = {statement_at(state, table)};
  Sandbox::of(state).check_numbers(state);
  return 0;
}

}  // namespace

std::variant<Request, std::string> edit_request(const Design& design, const ScheduleEdit& edit) {
  Sandbox sandbox;
  lua_State* const state = sandbox.state();
  sandbox.begin_step();
  EditCall call{design, edit};
  lua_pushlightuserdata(state, &call);
  lua_pushcclosure(state, call_edit, 1);
  if (lua_pcall(state, 0, 0, 0) != LUA_OK) {
    sandbox.end();
    return fmt::format("{}: {}", call.function(), readable_text(plain_text(state, -1)));
  }
  call.made.resource = edit.resource;
  call.made.schedule = edit.schedule;
  if (edit.definition != nullptr) call.made.definition = *edit.definition;
  call.made.from = edit.now;
  return Request{statements::Request{std::move(call.made)}};
}

}  // namespace tenure::lua
