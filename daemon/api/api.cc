#include "daemon/api/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <utility>

#include "adapters/runtime/entropy.h"
#include "core/base/readable_text.h"
#include "daemon/api/openapi.h"

namespace tenure::daemon {
namespace {

// The log has what went wrong, and the client the number by which it is found there: what an error says may be nobody
// else's business.
HttpProblem our_mistake(const Route& route, const Call& call, std::string_view why) {
  const std::string number = fmt::format("{:016x}", random_bits());
  call.context.log.say(Level::error, "a request failed by a mistake of this program",
                       {{"number", number},
                        {"method", std::string(route.method)},
                        {"route", std::string(route.path)},
                        {"why", readable_text(why)}});
  return {.status = 500,
          .type = "internal",
          .title = "This is our mistake",
          .detail = fmt::format("this instance's log has it under the number {}", number)};
}

HttpResponse answered(const Route& route, Call& call) {
  try {
    return route.handle(call);
  } catch (const HttpProblem& problem) {
    return response_of(problem);
  } catch (const std::exception& error) {
    return response_of(our_mistake(route, call, error.what()));
  }
}

// Nothing that is served here is to be framed, guessed at, kept, or told to others.
HttpResponse guarded(HttpResponse response) {
  response.fields.push_back({"X-Content-Type-Options", "nosniff"});
  response.fields.push_back({"Referrer-Policy", "no-referrer"});
  bool has_policy = false;
  bool has_caching = false;
  for (const HttpField& field : response.fields) {
    has_policy = has_policy || field.name == "Content-Security-Policy";
    has_caching = has_caching || field.name == "Cache-Control";
  }
  if (!has_policy)
    response.fields.push_back({"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"});
  if (!has_caching) response.fields.push_back({"Cache-Control", "no-store"});
  return response;
}

const Route& route_of(const MatchedRoute& matched, const HttpRequest& request) {
  if (matched.route != nullptr) return *matched.route;
  if (matched.allowed.empty()) throw not_found(fmt::format("nothing is at this path"));
  throw HttpProblem{.status = 405,
                    .type = "method-not-allowed",
                    .title = "Not with this method",
                    .detail = fmt::format("{} is not one of: {}", request.method, matched.allowed),
                    .fields = {{"Allow", matched.allowed}}};
}

void check_body(const HttpRequest& request) {
  if (request.body.empty()) return;
  const std::string_view given = request.field("content-type");
  std::string type = lower_case(given.substr(0, given.find(';')));
  while (type.ends_with(' ')) type.pop_back();
  if (type == "application/json") return;
  throw HttpProblem{.status = 415,
                    .type = "unsupported-media-type",
                    .title = "The body must be JSON",
                    .detail = "`Content-Type: application/json`"};
}

// Which one of two would count, nobody should have to know.
void check_fields(const HttpRequest& request) {
  for (const std::string_view name : {"authorization", "content-type", "idempotency-key", "if-match"}) {
    const auto times = std::count_if(request.fields.begin(), request.fields.end(),
                                     [name](const HttpField& field) { return field.name == name; });
    if (times > 1) throw invalid(fmt::format("the field `{}` comes twice", name));
  }
}

// Throws HttpProblem if it is nobody who may use the route.
Caller caller_for(const Route& route, const HttpRequest& request, const AccessRules& rules) {
  Caller caller;
  if (route.scope != Scope::none) caller = rules.caller_of(request);
  if (caller.may(route.scope)) return caller;
  throw HttpProblem{.status = 403,
                    .type = "forbidden",
                    .title = "The token may not do this",
                    .detail = fmt::format("it lacks the scope `{}`", name_of(route.scope))};
}

// Whatever is answered is guarded, and says of which route it is.
HttpRespond guarding(const HttpRespond& respond, const MatchedRoute& matched) {
  const std::string_view route = matched.route == nullptr ? std::string_view{} : matched.route->path;
  return [respond, route](HttpResponse response) {
    response.route = route;
    respond(guarded(std::move(response)));
  };
}

HttpProblem too_busy() {
  HttpProblem busy{.status = 503, .type = "busy", .title = "Too much waits for the store", .detail = {}};
  busy.fields.push_back({"Retry-After", "1"});
  return busy;
}

bool only_reads(const HttpRequest& request) { return request.method == "GET" || request.method == "HEAD"; }

}  // namespace

Api::Api(ApiContext context, AccessRules rules)
    : context_(std::move(context)), rules_(std::make_shared<const AccessRules>(std::move(rules))) {}

void Api::set_rules(AccessRules rules) {
  const std::lock_guard lock(mutex_);
  rules_ = std::make_shared<const AccessRules>(std::move(rules));
}

std::shared_ptr<const AccessRules> Api::rules() {
  const std::lock_guard lock(mutex_);
  return rules_;
}

HttpHandler Api::handler() {
  return [this](HttpRequest request, HttpRespond respond) { handle(std::move(request), respond); };
}

HttpHandler Api::health_handler() {
  return [this](HttpRequest request, const HttpRespond& respond) {
    MatchedRoute matched = match(health_routes(), request.method, request.path);
    const HttpRespond tell = guarding(respond, matched);
    try {
      const Route& route = route_of(matched, request);
      Call call{context_, std::move(request), std::move(matched.names), {}, {}};
      tell(answered(route, call));
    } catch (const HttpProblem& problem) {
      tell(response_of(problem));
    }
  };
}

void Api::handle(HttpRequest request, const HttpRespond& respond) {
  MatchedRoute matched = match(routes(), request.method, request.path);
  const HttpRespond tell = guarding(respond, matched);
  try {
    dispatch(std::move(request), std::move(matched), tell);
  } catch (const HttpProblem& problem) {
    tell(response_of(problem));
  }
}

void Api::dispatch(HttpRequest request, MatchedRoute matched, const HttpRespond& tell) {
  const std::shared_ptr<const AccessRules> current = rules();
  current->check_host(request);
  check_fields(request);
  const Route& route = route_of(matched, request);
  if (!only_reads(request)) current->check_origin(request);
  Caller caller = caller_for(route, request, *current);
  check_body(request);
  auto query = query_pairs(request.query);
  if (!query) throw invalid("the query is not well-formed");

  const auto call = std::make_shared<Call>(
      Call{context_, std::move(request), std::move(matched.names), *std::move(query), std::move(caller)});
  if (route.scope != Scope::none) call->allow_parameters(query_parameters(route));
  call->caller_now = [this, &route](const HttpRequest& asked) { return caller_for(route, asked, *rules()); };
  if (!route.needs_store) return tell(answered(route, *call));
  HttpRespond respond = tell;
  if (const auto age = KeptAnswers::age_taken(call->request)) {
    std::string key = KeptAnswers::key_of(*call);
    if (auto kept = kept_.find(key, *age, call->began)) return tell(*std::move(kept));
    respond = keeping(std::move(key), *call, tell);
  }
  if (!submit({&route, call, std::move(respond)})) throw too_busy();
}

HttpRespond Api::keeping(std::string key, const Call& call, HttpRespond tell) {
  return [this, key = std::move(key), asked_at = call.began, tell = std::move(tell)](HttpResponse response) {
    kept_.keep(key, response, asked_at);
    tell(std::move(response));
  };
}

bool Api::submit(StoreCall asked) {
  return context_.pool.submit([this, asked = std::move(asked)](PooledStore& store) { answer(asked, store); });
}

void Api::answer(const StoreCall& asked, PooledStore& store) {
  asked.call->store = &store;
  try {
    return asked.respond(answered(*asked.route, *asked.call));
  } catch (const NotYet&) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < kMostWaiting) return waiting_.push_back(asked);
  }
  asked.respond(response_of(too_busy()));
}

void Api::tick() {
  std::vector<StoreCall> waiting;
  {
    const std::lock_guard lock(mutex_);
    const auto last = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kAskedAtOnce));
    waiting.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(last));
    waiting_.erase(waiting_.begin(), last);
  }
  for (const StoreCall& one : waiting)
    if (!submit(one)) one.respond(response_of(too_busy()));
}

void Api::end() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
}

}  // namespace tenure::daemon
