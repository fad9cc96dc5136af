#include "adapters/process/messages.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "adapters/design/description.h"
#include "adapters/design/life.h"
#include "core/base/readable_text.h"
#include "core/model/describe.h"
#include "core/schedule/definition.h"
#include "sim/stores/statements/requests.h"

namespace tenure::process {
namespace {

using design::field;
using design::Json;
using design::know_keys;
using design::list;
using design::Nonsense;
using design::object;
using design::object_of;
using design::text;
using design::whole;

constexpr std::size_t kMostActs = 10'000;  // of a step

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Opaque to the program, which shows it as it was given.
std::string text_of(const Token& token) {
  return fmt::format("{}.{}.{}", token.branch, token.epoch, token.nonce);
}

Json json_of(const Leadership& leadership, MonoTime now) {
  if (!leadership.leads(now)) return nullptr;
  Json json = Json::object();
  if (leadership.believed_until == MonoTime::max())
    json["open"] = true;
  else
    json["until_mono"] = leadership.believed_until.ns();
  if (leadership.token) json["token"] = text_of(*leadership.token);
  return json;
}

std::string line_at(Json json, const LineContext& context) {
  json["mono"] = context.clock.mono().ns();
  json["wall"] = context.clock.wall().ns();
  if (context.leadership != nullptr) json["leadership"] = json_of(*context.leadership, context.clock.mono());
  return line_of(json);
}

Json json_of(const statements::Value& value) {
  struct Convert {
    Json operator()(statements::Null) const { return nullptr; }
    Json operator()(bool it) const { return it; }
    Json operator()(std::int64_t it) const { return it; }
    Json operator()(const std::string& it) const { return it; }
    Json operator()(StoreTime it) const { return {{"time", it.ns()}}; }
    Json operator()(Duration it) const { return {{"interval", it.ns()}}; }
  };
  return std::visit(Convert{}, value);
}

Json json_of(const statements::SqlRows& result) {
  Json rows = Json::array();
  for (const auto& row : result.rows) {
    Json values = Json::array();
    for (const statements::Value& value : row) values.push_back(json_of(value));
    rows.push_back(std::move(values));
  }
  return {{"columns", result.columns}, {"rows", std::move(rows)}, {"count", result.count}};
}

Json json_of(const Parameters& parameters) {
  Json json = Json::object();
  for (std::size_t i = 0; i < parameters.specs().size(); ++i) {
    const ParameterSpec& spec = parameters.specs()[i];
    const std::int64_t value = parameters.value(static_cast<int>(i));
    Json& said = json[std::string(spec.name)];
    if (spec.type == ParameterSpec::Type::boolean)
      said = value != 0;
    else if (spec.type == ParameterSpec::Type::choice)
      said = spec.choices[static_cast<std::size_t>(value)];
    else
      said = value;
  }
  return json;
}

// ---- what it answers ----

statements::Value value_of(const Json& json) {
  if (json.is_null()) return statements::Null{};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_object() && json.size() == 1) {
    if (json.contains("time")) return StoreTime::from_ns(whole(json["time"], "time"));
    if (json.contains("interval")) return Duration::nanos(whole(json["interval"], "interval"));
  }
  if (!json.is_number_integer())
    throw Nonsense{
        "a value of a statement is null, true, false, a whole number, text, {\"time\": ns} or {\"interval\": "
        "ns}"};
  return whole(json, "values");
}

statements::SqlStatement statement_of(const Json& json) {
  know_keys(object(json, "statements"), "a statement", {"text", "values"});
  statements::SqlStatement statement{.text = text(field(json, "text"), "text"), .parameters = {}};
  if (json.contains("values"))
    for (const Json& value : list(json["values"], "values")) statement.parameters.push_back(value_of(value));
  return statement;
}

SqlAct sql_of(const Json& json) {
  know_keys(json, "`sql`", {"id", "deadline", "statements", "on"});
  SqlAct act{.id = whole(field(json, "id"), "id"),
             .deadline = MonoTime::from_ns(whole(field(json, "deadline"), "deadline")),
             .statements = {},
             .on = json.contains("on") ? text(json["on"], "on") : std::string{}};
  for (const Json& statement : list(field(json, "statements"), "statements"))
    act.statements.push_back(statement_of(statement));
  if (act.statements.empty()) throw Nonsense{"`sql` without a statement"};
  return act;
}

SendAct send_of(const Json& json, std::uint32_t nodes) {
  know_keys(json, "`send`", {"to", "kind", "words"});
  const std::int64_t to = whole(field(json, "to"), "to");
  if (to < 1 || to > nodes) throw Nonsense{fmt::format("`send` to node {}, and there are {}", to, nodes)};
  SendAct act{.to = NodeId{static_cast<std::uint32_t>(to - 1)},
              .message = {text(field(json, "kind"), "kind"), {}}};
  if (json.contains("words"))
    for (const Json& word : list(json["words"], "words")) act.message.words.push_back(whole(word, "words"));
  return act;
}

BelieveAct believe_of(const Json& json, bool has_tokens) {
  know_keys(json, "`believe`", {"until_mono", "until_wall", "open", "token"});
  BelieveAct act;
  int said = 0;
  if (json.contains("until_mono")) {
    act.until = MonoTime::from_ns(whole(json["until_mono"], "until_mono"));
    ++said;
  }
  if (json.contains("until_wall")) {
    act.until = WallTime::from_ns(whole(json["until_wall"], "until_wall"));
    ++said;
  }
  if (json.contains("open")) {
    if (json["open"] != true) throw Nonsense{"`open` is true, or not there"};
    act.until = Open{};
    ++said;
  }
  if (said != 1) throw Nonsense{"`believe` takes one of until_mono, until_wall, open"};
  std::optional<std::int64_t> token;
  if (json.contains("token") && !json["token"].is_null()) token = whole(json["token"], "token");
  if (const std::string_view problem = design::problem_of_token(has_tokens, token); !problem.empty())
    throw Nonsense{fmt::format("`believe`: {}", problem)};
  act.token = design::token_of(token);
  return act;
}

// As it was given; or, of a program that counts them itself, a whole number.
std::optional<Token> shown_token(const Json& json) {
  if (!json.contains("token") || json["token"].is_null()) return std::nullopt;
  const Json& shown = json["token"];
  if (shown.is_number_integer()) {
    const std::int64_t number = whole(shown, "token");
    if (number < 1) throw Nonsense{"a token is a whole number above 0"};
    return design::token_of(number);
  }
  const std::string given = text(shown, "token");
  Token token;
  const auto read = [end = given.data() + given.size()](const char* from, auto& to, char after) {
    const auto [at, error] = std::from_chars(from, end, to);
    const bool good = error == std::errc{} && (after == 0 ? at == end : at != end && *at == after);
    return good ? at + (after != 0 ? 1 : 0) : nullptr;
  };
  const char* at = read(given.data(), token.branch, '.');
  if (at != nullptr) at = read(at, token.epoch, '.');
  if (at != nullptr) at = read(at, token.nonce, 0);
  if (at == nullptr)
    throw Nonsense{fmt::format("`{}` is no token that `leadership` had", readable_text(given))};
  return token;
}

RunAct run_of(const Json& json, const MayAsk& may) {
  know_keys(json, "`run`", {"id", "schedule", "slot", "token", "once"});
  if (may.role == design::Role::elector)
    throw Nonsense{"`run` is for a scheduler: \"role\": \"scheduler\", or \"both\""};
  const std::int64_t schedule = whole(field(json, "schedule"), "schedule");
  if (schedule < 1 || schedule > may.schedules)
    throw Nonsense{
        fmt::format("`run`: `schedule` is the id that put_schedule was given, from 1 to {}", may.schedules)};
  const std::int64_t slot = whole(field(json, "slot"), "slot");
  if (slot % Duration::micros(1).ns() != 0)
    throw Nonsense{"`run`: `slot` is a time of the store, in whole microseconds, like a row's next_run"};
  return {.id = whole(field(json, "id"), "id"),
          .event = {ScheduleId{static_cast<std::uint32_t>(schedule - 1)}, StoreTime::from_ns(slot), 0},
          .token = shown_token(json),
          .once = json.contains("once") && design::flag(json["once"], "once")};
}

WriteAct write_of(const Json& json, const MayAsk& may) {
  know_keys(json, "`write`", {"id", "token"});
  if (may.role == design::Role::scheduler)
    throw Nonsense{"`write` is an election's own; `run` does the work of a slot"};
  if (!may.writes)
    throw Nonsense{"`write` is for a program that says so, with \"writes\": true: the checkers go by that"};
  return {.id = whole(field(json, "id"), "id"), .token = shown_token(json)};
}

PutAct put_of(const Json& json) {
  know_keys(json, "`put`", {"key", "value"});
  return {.key = text(field(json, "key"), "key"), .value = text(field(json, "value"), "value")};
}

SyncAct sync_of(const Json& json) {
  know_keys(json, "`sync`", {"id"});
  return {.id = whole(field(json, "id"), "id")};
}

Act act_of(const Json& json, const MayAsk& may) {
  if (!json.is_object() || json.size() != 1)
    throw Nonsense{"each element of `do` must be an object with one key, which says what to do"};
  const std::string& what = json.begin().key();
  const Json& value = json.begin().value();
  if (may.role == design::Role::scheduler && (what == "send" || what == "believe" || what == "step_down"))
    throw Nonsense{fmt::format("`{}` is its election's business, and this program is a scheduler", what)};
  if (what == "send") return send_of(object(value, what), may.nodes);
  if (what == "sql") return sql_of(object(value, what));
  if (what == "believe") return believe_of(object(value, what), may.has_tokens);
  if (what == "step_down") return StepDownAct{text(value, what)};
  if (what == "run") return run_of(object(value, what), may);
  if (what == "write") return write_of(object(value, what), may);
  if (what == "checked") return know_keys(object(value, what), "`checked`", {}), CheckedAct{};
  if (what == "put") return put_of(object(value, what));
  if (what == "sync") return sync_of(object(value, what));
  if (what == "log") {
    know_keys(object(value, what), "`log`", {"text", "value"});
    return LogAct{text(field(value, "text"), "text"),
                  value.contains("value") ? whole(value["value"], "value") : std::int64_t{0}};
  }
  if (what == "stopped") return know_keys(object(value, what), "`stopped`", {}), StoppedAct{};
  if (what == "error") return ErrorAct{text(value, what)};
  throw Nonsense{
      fmt::format("`do` knows no `{}`; there is send, sql, believe, step_down, run, write, checked, put, "
                  "sync, log, stopped, error",
                  what)};
}

}  // namespace

std::string describe_line() { return line_of({{"tenure", kVersion}, {"describe", Json::object()}}); }

std::string validate_line(const Parameters& parameters) {
  return line_of({{"tenure", kVersion}, {"validate", {{"parameters", json_of(parameters)}}}});
}

std::string edit_line(const ScheduleEdit& edit) {
  Json schedule = {{"id", edit.schedule.value + 1}, {"name", edit.name}, {"now", edit.now.ns()}};
  if (edit.definition == nullptr) return line_of({{"tenure", kVersion}, {"delete_schedule", schedule}});
  const auto first = slot_at_or_after(*edit.definition, edit.now);
  const auto* interval = std::get_if<Interval>(&edit.definition->recurrence);
  schedule["first"] = first ? Json(first->ns()) : Json();
  schedule["period"] = interval != nullptr ? Json(interval->period.ns()) : Json();
  schedule["paused"] = edit.definition->paused;
  return line_of({{"tenure", kVersion}, {"put_schedule", schedule}});
}

std::string start_line(const Begin& begin, const LineContext& context) {
  Json start = {{"me", describe(begin.self.node)},
                {"number", begin.self.node.value + 1},
                {"nodes", begin.nodes},
                {"identity", fmt::format("{}#{}", describe(begin.self.node), begin.self.number)},
                {"parameters", json_of(*begin.parameters)},
                {"seed", begin.seed}};
  if (!begin.disk.empty()) start["disk"] = begin.disk;
  return line_at({{"tenure", kVersion}, {"start", std::move(start)}}, context);
}

std::string wake_line(const LineContext& context) {
  if (context.leadership != nullptr) return line_at({{"wake", Json::object()}}, context);
  // By far the most frequent line.
  return fmt::format("{{\"wake\":{{}},\"mono\":{},\"wall\":{}}}\n", context.clock.mono().ns(),
                     context.clock.wall().ns());
}

std::string stop_line(const LineContext& context) { return line_at({{"stop", Json::object()}}, context); }

std::string leadership_line(const LineContext& context) { return line_at(Json::object(), context); }

std::string message_line(const MessageReceived& message, const LineContext& context) {
  return line_at({{"message",
                   {{"from", message.from.value + 1},
                    {"kind", message.message.kind},
                    {"words", message.message.words}}}},
                 context);
}

std::string reply_line(const StoreReplied& reply, std::int64_t id, const LineContext& context) {
  Json json = {{"id", id}};
  const auto* answer = message_as<statements::Reply>(reply.reply);
  if (reply.outcome == RequestOutcome::unknown) {
    json["outcome"] = "unknown";
  } else if (reply.outcome == RequestOutcome::rejected || answer == nullptr) {
    json["outcome"] = "rejected";
    json["message"] = std::string(name_of(reply.rejection));
  } else if (const auto* failed = std::get_if<statements::SqlFailed>(answer)) {
    json["outcome"] = "failed";
    json["sqlstate"] = failed->sqlstate;
    json["message"] = failed->message;
  } else {
    json["outcome"] = "done";
    json["results"] = Json::array();
    for (const statements::SqlRows& rows : std::get<statements::Executed>(*answer).results)
      json["results"].push_back(json_of(rows));
  }
  return line_at({{"reply", std::move(json)}}, context);
}

std::string ran_line(WorkResult result, std::int64_t id, const LineContext& context) {
  return line_at({{"ran", {{"id", id}, {"result", name_of(result)}}}}, context);
}

std::string written_line(bool fenced, std::int64_t id, const LineContext& context) {
  return line_at({{"written", {{"id", id}, {"result", fenced ? "fenced" : "done"}}}}, context);
}

std::string synced_line(std::int64_t id, const LineContext& context) {
  return line_at({{"synced", {{"id", id}}}}, context);
}

std::string read_complaints(std::string_view line, const Parameters& parameters,
                            std::vector<Complaint>& complaints) {
  try {
    const Json json = object_of(line);
    know_keys(json, "an answer", {"complaints", "error"});
    if (json.contains("error")) return text(json["error"], "error");
    for (const Json& each : list(field(json, "complaints"), "complaints")) {
      if (!each.is_array() || each.size() != 2)
        throw Nonsense{"a complaint is [\"parameter\", \"what is wrong\"]"};
      complaints.push_back(
          design::complaint_about(text(each[0], "complaints"), text(each[1], "complaints"), parameters));
    }
    return {};
  } catch (const Nonsense& nonsense) {
    return nonsense.what;
  }
}

std::string read_statements(std::string_view line, std::vector<statements::SqlStatement>& statements) {
  try {
    const Json json = object_of(line);
    know_keys(json, "an answer", {"statements", "error"});
    if (json.contains("error")) return text(json["error"], "error");
    for (const Json& each : list(field(json, "statements"), "statements"))
      statements.push_back(statement_of(each));
    return {};
  } catch (const Nonsense& nonsense) {
    return nonsense.what;
  }
}

std::string read_answer(std::string_view line, const MayAsk& may, NodeAnswer& answer) {
  try {
    const Json json = object_of(line);
    know_keys(json, "an answer", {"do", "wake"});
    if (json.contains("do")) {
      const Json& acts = list(json["do"], "do");
      if (acts.size() > kMostActs) throw Nonsense{fmt::format("`do` has more than {} elements", kMostActs)};
      for (const Json& act : acts) answer.acts.push_back(act_of(act, may));
    }
    if (json.contains("wake") && !json["wake"].is_null())
      answer.wake = MonoTime::from_ns(whole(json["wake"], "wake"));
    return {};
  } catch (const Nonsense& nonsense) {
    return nonsense.what;
  }
}

}  // namespace tenure::process
