// Who leads.
#include <fmt/format.h>

#include "daemon/api/handlers.h"
#include "daemon/api/times.h"
#include "format/syntax/units.h"

namespace tenure::daemon::handlers {
namespace {

Json hold_json(const std::optional<reference::Hold>& hold) {
  if (!hold) return nullptr;
  return {{"since", print_utc(hold->since)}, {"jump", print_duration(hold->jump)}};
}

// A renewal by nobody is refused, and the refusal says who has the lease.
reference::Refused holder_of(Call& call) {
  constexpr Incarnation kNobody{{UINT32_MAX}, UINT32_MAX};
  const Answer answer =
      call.store->ask(reference::Renew{call.context.resource, kNobody, {}, Duration::seconds(1)});
  return expect<reference::Refused>(answer);
}

}  // namespace

HttpResponse list_leaders(Call& call) {
  const reference::Refused holder = holder_of(call);
  const LeadershipState state = call.context.leadership.state();
  const bool is_led = holder.holder.number != 0 && holder.remaining > Duration{};
  Json leader = {{"resource", call.context.resource.value}, {"led", is_led}};
  if (is_led) {
    leader["node"] = holder.holder.node.value;
    leader["life"] = holder.holder.number;
    leader["expires_in"] = print_left(holder.remaining);
  }
  leader["epoch"] = holder.epoch;
  const Incarnation life = call.context.leadership.self();
  leader["is_this"] = is_led && holder.holder == life;
  Json self = {{"node", life.node.value}};
  if (life.number != 0) self["life"] = life.number;
  self["role"] = state.leads ? "leader" : "standby";
  if (state.token) {
    self["epoch"] = state.token->epoch;
    self["belief_left"] = print_left(state.belief_left);
  }
  Json scopes = Json::array();
  for (const Scope scope : {Scope::read, Scope::write, Scope::admin})
    if (call.caller.may(scope)) scopes.push_back(name_of(scope));
  Json caller = {{"actor", call.caller.actor}, {"scopes", std::move(scopes)}};
  if (!call.caller.prefix.empty()) caller["prefix"] = call.caller.prefix;
  return json_response({{"leaders", Json::array({std::move(leader)})},
                        {"this", std::move(self)},
                        {"hold", hold_json(state.hold)},
                        {"caller", std::move(caller)}});
}

}  // namespace tenure::daemon::handlers
