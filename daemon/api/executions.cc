// Workers: events of a topic are handed out, kept by heartbeats, and ended (docs/executions.md).
#include <fmt/format.h>

#include <functional>
#include <utility>
#include <vector>

#include "adapters/runtime/entropy.h"
#include "core/model/describe.h"
#include "daemon/api/body_reader.h"
#include "daemon/api/event_json.h"
#include "daemon/api/handlers.h"
#include "daemon/api/number_parts.h"
#include "daemon/api/times.h"

namespace tenure::daemon::handlers {
namespace {

using reference::Standing;

// Payloads have up to 64 KB each.
constexpr std::int64_t kMostClaimed = 100;
constexpr Duration kUsualClaim = Duration::minutes(1);
// A client, or a proxy before it, may give up on what takes longer.
constexpr Duration kLongestWait = Duration::seconds(20);

// An execution as clients name it: "7.1795483800000000.0.2.8231": schedule, slot in microseconds, run, attempt, nonce.
std::string id_of(const reference::ExecutionToken& token) {
  return fmt::format("{}.{}.{}.{}.{}", token.event.schedule.value, token.event.slot.ns() / 1'000,
                     token.event.run, token.attempt, token.nonce);
}

std::optional<reference::ExecutionToken> read_execution_id(std::string_view text) {
  reference::ExecutionToken token;
  std::int64_t micros = 0;
  std::string_view rest = text;
  const auto take = [&rest](auto& number) { return take_number(rest, number, '.'); };
  const bool read = take(token.event.schedule.value) && take(micros) && take(token.event.run) &&
                    take(token.attempt) && take(token.nonce);
  if (!read || micros > INT64_MAX / 1'000 || micros < INT64_MIN / 1'000) return std::nullopt;
  token.event.slot = StoreTime{} + Duration::micros(micros);
  // No other spelling of it, and no number that a store has no room for.
  const bool fits = token.event.run <= INT64_MAX && token.nonce <= INT64_MAX && token.attempt <= INT32_MAX;
  if (!fits || id_of(token) != text) return std::nullopt;
  return token;
}

void check_may_claim(const Call& call, const std::string& topic) {
  if (topic.starts_with(call.caller.prefix)) return;
  throw HttpProblem{
      .status = 403,
      .type = "forbidden",
      .title = "The token is not for this topic",
      .detail = fmt::format("it is for schedules and topics that begin with `{}`", call.caller.prefix)};
}

// Only the caller that claimed it has its name: a number in it was drawn for the claim. So nobody asks whose it is.
reference::ExecutionToken token_of(const Call& call) {
  const auto token = read_execution_id(call.names.at(0));
  if (!token) throw not_found("no execution has such an id");
  return *token;
}

std::optional<Duration> claim_length(BodyReader& reader) {
  return reader.duration("duration", Duration::micros(1), reference::kLongestClaim);
}

bool is_any_of(Standing standing, std::initializer_list<Standing> all) {
  for (const Standing one : all)
    if (standing == one) return true;
  return false;
}

// `over`: the standings of which the worker is to learn that it was too late.
HttpResponse show(const Answer& answer, std::initializer_list<Standing> over) {
  const reference::ExecutionState& state = expect<reference::ExecutionStates>(answer).executions.at(0);
  const std::string word(tenure::name_of(state.standing));
  if (state.standing == Standing::unknown)
    throw not_found("there is no such execution, or what became of it has been forgotten");
  if (is_any_of(state.standing, over))
    throw HttpProblem{.status = 409,
                      .type = "conflict",
                      .title = "The execution is over",
                      .detail = fmt::format("it is {}: somebody else has the event, or nobody will", word)};
  Json json = {{"standing", word}, {"cancel", state.standing == Standing::cancelled}};
  if (is_any_of(state.standing,
                {Standing::claimed, Standing::cancelled, Standing::failed, Standing::released}))
    json["until"] = print_utc(state.until);
  return json_response(json);
}

HttpResponse end(Call& call, reference::ExecutionEnd ended, std::initializer_list<Standing> over) {
  const reference::EndExecutions asked{call.context.resource, {std::move(ended)}};
  check(problem_of(asked));
  return show(call.store->ask(asked), over);
}

HttpResponse nothing() { return json_response({{"executions", Json::array()}}); }

// Nobody works on what no client knows of: those claims are given back, and their events are handed out again.
std::function<void()> giving_back(const Call& call, const std::vector<reference::Execution>& claimed) {
  reference::ReleaseExecutions over{.resource = call.context.resource, .executions = {}};
  for (const reference::Execution& execution : claimed) over.executions.push_back(execution.token);
  return [&pool = call.context.pool, over = std::move(over)] {
    pool.submit([over](PooledStore& store) { store.ask(over); });
  };
}

Json claimed_json(Call& call, const std::vector<reference::Execution>& claimed) {
  std::vector<reference::EventId> events;
  for (const reference::Execution& execution : claimed) events.push_back(execution.token.event);
  const Answer read = call.store->ask(reference::ReadPayloads{call.context.resource, events});
  const auto& payloads = expect<reference::Payloads>(read).events;
  Json executions = Json::array();
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    if (!payloads[i].found) continue;  // it was taken back already
    Json event = {{"seq", claimed[i].seq}};
    event.update(json_of(claimed[i].token.event, call));
    add_payload(event, payloads[i]);
    executions.push_back({{"id", id_of(claimed[i].token)},
                          {"until", print_utc(claimed[i].until)},
                          {"attempt", claimed[i].token.attempt},
                          {"event", std::move(event)}});
  }
  return executions;
}

}  // namespace

HttpResponse claim_executions(Call& call) {
  const auto [asked, wait] = read_body(call, [&call](BodyReader& reader) {
    reference::ClaimExecutions claim{
        .resource = call.context.resource,
        .topic = reader.kept_text("topic", reference::kNameBytes).value_or(""),
        .max = static_cast<std::uint32_t>(reader.whole_number("max", 1, kMostClaimed).value_or(1)),
        .duration = claim_length(reader).value_or(kUsualClaim),
        .worker = reader.kept_text("worker", reference::kNameBytes).value_or(call.caller.actor),
        .nonce = random_bits() >> 1 | 1};
    const Duration longest = reader.duration("wait", Duration{}, kLongestWait).value_or(Duration{});
    if (!reader.has("topic")) reader.complain("topic", "is missing", "\"\" is that of events without one");
    return std::pair{std::move(claim), longest};
  });
  check(problem_of(asked));
  check_may_claim(call, asked.topic);
  if (call.request.is_given_up()) return nothing();
  const Answer answer = call.store->ask(asked);
  const auto& claimed = expect<reference::ClaimedExecutions>(answer).executions;
  if (claimed.empty() && wait > Duration{}) call.wait_for(wait);
  if (claimed.empty()) return nothing();
  const std::function<void()> give_back = giving_back(call, claimed);
  try {
    HttpResponse response = json_response({{"executions", claimed_json(call, claimed)}});
    response.not_taken = give_back;
    return response;
  } catch (const HttpProblem&) {
    give_back();
    throw;
  }
}

HttpResponse extend_execution(Call& call) {
  const reference::ExecutionToken token = token_of(call);
  const auto duration = read_body(call, claim_length);
  const reference::ExtendExecutions asked{
      .resource = call.context.resource, .duration = duration.value_or(Duration{}), .executions = {token}};
  check(problem_of(asked));
  return show(call.store->ask(asked), {Standing::reissued, Standing::replaced, Standing::dead});
}

HttpResponse complete_execution(Call& call) {
  const reference::ExecutionToken token = token_of(call);
  read_body(call, [](BodyReader&) { return 0; });
  return end(call, {.token = token}, {Standing::reissued, Standing::replaced, Standing::dead});
}

HttpResponse release_execution(Call& call) {
  const reference::ExecutionToken token = token_of(call);
  read_body(call, [](BodyReader&) { return 0; });
  // What was to give way to a later event has done so.
  return show(call.store->ask(reference::ReleaseExecutions{call.context.resource, {token}}),
              {Standing::reissued});
}

HttpResponse fail_execution(Call& call) {
  const reference::ExecutionToken token = token_of(call);
  const std::string why = read_body(
      call, [](BodyReader& reader) { return reader.kept_text("why", reference::kTextBytes).value_or(""); });
  // A failure may be the last one, or make room for a later event: it was taken all the same.
  return end(call, {.token = token, .failed = true, .why = why}, {Standing::reissued});
}

}  // namespace tenure::daemon::handlers
