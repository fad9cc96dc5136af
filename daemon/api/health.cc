// Whether it runs, whether it can be used, and whether it leads. Nothing here asks the store.
#include <fmt/format.h>

#include "daemon/api/handlers.h"
#include "daemon/api/openapi.h"
#include "daemon/api/times.h"
#include "format/syntax/units.h"

namespace tenure::daemon::handlers {
namespace {

// What keeps schedules from firing, at whichever instance: no reason to send clients to another one.
Json warnings_of(const ApiContext& context, const LeadershipState& state) {
  Json warnings = Json::array();
  if (state.hold)
    warnings.push_back(fmt::format("nothing fires: the store's clock jumped by {} at {}",
                                   print_duration(state.hold->jump), print_utc(state.hold->since)));
  const OutboxReading seen = context.outbox();
  if (seen.ahead > 0)
    warnings.push_back(
        fmt::format("{} schedules fired while the store's clock was ahead, and are silent, the last one "
                    "until {}",
                    seen.ahead, print_utc(seen.ahead_until)));
  return warnings;
}

}  // namespace

HttpResponse healthz(Call&) { return json_response({{"status", "ok"}}); }

HttpResponse readyz(Call& call) {
  Json reasons = Json::array();
  if (const std::string why = call.context.not_ready(); !why.empty()) reasons.push_back(why);
  const LeadershipState state = call.context.leadership.state();
  if (!state.store_answers) reasons.push_back(state.trouble);
  const bool ready = reasons.empty();
  return json_response(
      {{"ready", ready}, {"reasons", std::move(reasons)}, {"warnings", warnings_of(call.context, state)}},
      ready ? 200 : 503);
}

HttpResponse leaderz(Call& call) {
  const LeadershipState state = call.context.leadership.state();
  Json json = {{"role", state.leads ? "leader" : "standby"}};
  if (state.token) {
    json["epoch"] = state.token->epoch;
    json["belief_left"] = print_left(state.belief_left);
  }
  return json_response(json, state.leads ? 200 : 503);
}

HttpResponse metrics(Call& call) {
  HttpResponse response;
  response.fields = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}};
  response.body = call.context.metrics_text();
  return response;
}

HttpResponse openapi(Call&) {
  HttpResponse response;
  response.fields = {{"Content-Type", "application/json"}};
  response.body = openapi_document();
  return response;
}

}  // namespace tenure::daemon::handlers
