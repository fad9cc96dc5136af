#include "daemon/api/routes.h"

#include <algorithm>
#include <optional>

#include "daemon/api/handlers.h"
#include "daemon/api/page.h"

namespace tenure::daemon {
namespace {

// The first ones are those of a listener for health.
constexpr std::size_t kHealthRoutes = 4;

constexpr Route kRoutes[] = {
    {"GET", "/healthz", Scope::none, false, handlers::healthz},
    {"GET", "/readyz", Scope::none, false, handlers::readyz},
    {"GET", "/leaderz", Scope::none, false, handlers::leaderz},
    {"GET", "/metrics", Scope::none, false, handlers::metrics},
    {"GET", "/openapi.json", Scope::none, false, handlers::openapi},
    {"GET", "/", Scope::none, false, handlers::page},
    {"GET", "/app.css", Scope::none, false, handlers::page},
    {"GET", "/app.js", Scope::none, false, handlers::page},
    {"GET", "/v1/schedules", Scope::read, true, handlers::list_schedules},
    {"POST", "/v1/schedules:bulk", Scope::write, true, handlers::bulk_schedules},
    {"GET", "/v1/schedules/{name}", Scope::read, true, handlers::get_schedule},
    {"PUT", "/v1/schedules/{name}", Scope::write, true, handlers::put_schedule},
    {"DELETE", "/v1/schedules/{name}", Scope::write, true, handlers::delete_schedule},
    {"POST", "/v1/schedules/{name}/pause", Scope::write, true, handlers::pause_schedule},
    {"POST", "/v1/schedules/{name}/resume", Scope::write, true, handlers::resume_schedule},
    {"POST", "/v1/schedules/{name}/trigger", Scope::write, true, handlers::trigger_schedule},
    {"POST", "/v1/schedules/{name}/backfill", Scope::write, true, handlers::backfill_schedule},
    {"GET", "/v1/schedules/{name}/next", Scope::read, true, handlers::next_slots},
    {"GET", "/v1/schedules/{name}/fires", Scope::read, true, handlers::list_fires_of_schedule},
    {"GET", "/v1/fires", Scope::read, true, handlers::list_fires},
    {"GET", "/v1/events", Scope::read, true, handlers::list_events},
    {"POST", "/v1/events:ack", Scope::write, true, handlers::acknowledge_events},
    {"GET", "/v1/events/dead", Scope::read, true, handlers::list_dead_events},
    {"POST", "/v1/events:replay", Scope::admin, true, handlers::replay_events},
    {"POST", "/v1/events:discard", Scope::admin, true, handlers::discard_events},
    {"POST", "/v1/executions:claim", Scope::write, true, handlers::claim_executions},
    {"POST", "/v1/executions/{id}/heartbeat", Scope::write, true, handlers::extend_execution},
    {"POST", "/v1/executions/{id}/complete", Scope::write, true, handlers::complete_execution},
    {"POST", "/v1/executions/{id}/fail", Scope::write, true, handlers::fail_execution},
    {"POST", "/v1/executions/{id}/release", Scope::write, true, handlers::release_execution},
    {"GET", "/v1/changes", Scope::read, true, handlers::list_changes},
    {"GET", "/v1/leaders", Scope::read, true, handlers::list_leaders},
};

// What the path has in the places of {…}; nullopt: it is another path.
std::optional<std::vector<std::string>> names_in(std::string_view pattern,
                                                 const std::vector<std::string>& segments) {
  std::vector<std::string> names;
  const auto wanted = path_segments(pattern);
  if (!wanted || wanted->size() != segments.size()) return std::nullopt;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (wanted->at(i).starts_with('{'))
      names.push_back(segments[i]);
    else if (wanted->at(i) != segments[i])
      return std::nullopt;
  }
  return names;
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }
std::span<const Route> health_routes() { return std::span(kRoutes).first(kHealthRoutes); }

MatchedRoute match(std::span<const Route> routes, std::string_view method, std::string_view path) {
  MatchedRoute matched;
  const auto segments = path_segments(path);
  if (!segments) return matched;
  // HEAD is GET without the body, which the server leaves out.
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Route& route : routes) {
    auto names = names_in(route.path, *segments);
    if (!names) continue;
    matched.allowed += (matched.allowed.empty() ? "" : ", ") + std::string(route.method);
    if (route.method != wanted) continue;
    matched.route = &route;
    matched.names = *std::move(names);
  }
  return matched;
}

}  // namespace tenure::daemon
