// One request on its way to its handler, with what handlers need.
//
// Thread rule: as each part.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/schedule/time_zone.h"
#include "daemon/api/access.h"
#include "daemon/api/json.h"
#include "daemon/api/problem.h"
#include "daemon/http/message.h"
#include "daemon/http/target.h"
#include "daemon/service/leadership_view.h"
#include "daemon/service/logger.h"
#include "daemon/service/metrics.h"
#include "daemon/service/store_pool.h"

namespace tenure::daemon {

class EventStreams;
class RunBudget;
class ScheduleNames;

// What lives as long as the API does.
struct ApiContext {
  ResourceId resource;
  const TimeZones& zones;
  const LeadershipView& leadership;
  StorePool& pool;
  EventStreams& streams;
  ScheduleNames& names;
  const Logger& log;
  // Why it cannot be used at the moment, beside its store; empty: it can.
  std::function<std::string()> not_ready;
  // What was last seen of the outbox and of schedules.
  std::function<OutboxReading()> outbox;
  std::function<std::string()> metrics_text;
  // Names that schedules may have as their destinations.
  std::function<std::vector<std::string>()> destinations;
  RunBudget& runs;
  // Counts a refusal.
  std::function<void(const std::string& token, std::string_view quota)> refused_by_quota;
};

struct Call {
  const ApiContext& context;
  HttpRequest request;
  std::vector<std::string> names;  // what the path has in the places of {…}
  QueryPairs query;
  Caller caller;
  PooledStore* store = nullptr;  // of routes that need one
  // For what goes on after its answer: who asks, by the rules of this moment. Throws HttpProblem: nobody who may.
  std::function<Caller(const HttpRequest& request)> caller_now = {};
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

  // The value of a parameter that may be given once. Throws HttpProblem if it was given twice.
  std::optional<std::string> parameter(std::string_view name) const;
  std::optional<bool> flag_parameter(std::string_view name) const;
  std::optional<std::int64_t> number_parameter(std::string_view name, std::int64_t min,
                                               std::int64_t max) const;
  // Throws HttpProblem if another one was given.
  void allow_parameters(std::span<const std::string> known) const;

  Duration took() const;  // so far
  // Nothing is there yet. Until so long after the request, and until the program stops, it throws NotYet; then it
  // returns. REQUIRES: a route that needs the store.
  void wait_for(Duration longest) const;

  // The body; an empty one is an empty object. Throws HttpProblem if it is no JSON, or has a key twice.
  Json body() const;
  // Throws HttpProblem if a schedule of that name is not the caller's to touch.
  void check_may_touch(std::string_view name) const;
  // The path's schedule. Throws HttpProblem if it is no name, or not the caller's to touch.
  const std::string& schedule_name() const;
};

// The handler is to be called again a little later.
struct NotYet {};

HttpResponse json_response(const Json& json, std::uint16_t status = 200);

}  // namespace tenure::daemon
