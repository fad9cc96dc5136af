// The routes of the API, each with its handler: docs/daemon.md says what they do.
//
// A handler throws HttpProblem for what it refuses.
//
// Thread rule: immutable; handlers of routes that need the store run on the pool's threads, all others on the server's,
// and must not block.
#pragma once

#include <span>
#include <string_view>

#include "daemon/api/call.h"

namespace tenure::daemon {

struct Route {
  std::string_view method;
  std::string_view path;  // "/v1/schedules/{name}"
  Scope scope = Scope::read;
  bool needs_store = true;
  HttpResponse (*handle)(Call& call) = nullptr;
};
std::span<const Route> routes();
// Those of the listener for health alone.
std::span<const Route> health_routes();

// By its path; `names` are what it has in the places of {…}.
struct MatchedRoute {
  const Route* route = nullptr;  // null: no such path, or not with this method
  std::vector<std::string> names;
  std::string allowed;  // methods of the path; empty: there is no such path
};
MatchedRoute match(std::span<const Route> routes, std::string_view method, std::string_view path);

}  // namespace tenure::daemon
