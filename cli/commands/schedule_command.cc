#include <fmt/format.h>

#include <algorithm>

#include "cli/client/answer_text.h"
#include "cli/client/api_client.h"
#include "cli/commands/commands.h"
#include "cli/reports/text/text_format.h"
#include "format/syntax/diagnostic.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kWidestCell = 60;

std::string recurrence_of(const Json& schedule) {
  for (const char* key : {"cron", "every", "once", "at"}) {
    std::string text = text_at(schedule, key);
    if (text.empty()) continue;
    if (std::string_view(key) == "every") text = "every " + text;
    if (std::string_view(key) == "once") text = short_time(text);
    const std::string zone = text_at(schedule, "timezone");
    return zone.empty() ? text : text + " " + zone;
  }
  return "?";
}

// With the cursor followed to the end.
Json all_schedules(const ScheduleCommandOptions& options, const ApiClient& api) {
  std::string query = "?limit=1000";
  const auto add = [&query](const std::string& key, const std::string& value) {
    if (!value.empty()) query += "&" + key + "=" + url_escaped(value);
  };
  add("prefix", options.prefix);
  add("state", options.state);
  add("order", options.order.value_or(""));
  for (const std::string& label : options.labels) add("label", label);
  Json all = Json::array();
  for (std::string cursor;;) {
    const Json page =
        api.get("/v1/schedules" + query + (cursor.empty() ? "" : "&cursor=" + url_escaped(cursor)));
    for (const Json& each : part_at(page, "schedules")) all.push_back(each);
    cursor = text_at(page, "cursor");
    if (cursor.empty()) return all;
  }
}

void list(const ScheduleCommandOptions& options, const ApiClient& api, Streams& streams) {
  const Json all = all_schedules(options, api);
  if (options.format == Format::json) {
    streams.out << Json{{"schedules", all}}.dump(2) << "\n";
    return;
  }
  if (all.empty()) {
    streams.out << "no schedules\n";
    return;
  }
  std::vector<ListRow> rows = {{"NAME", "WHEN", "STATE", "NEXT"}};
  for (const Json& each : all) {
    const Json& status = part_at(each, "status");
    rows.push_back({text_at(each, "name"), format::printable(recurrence_of(each), kWidestCell),
                    text_at(status, "state"), short_time(text_at(status, "next"))});
  }
  streams.out << table_of(rows);
}

void show_schedule(const Json& schedule, Streams& streams) {
  const Json& status = part_at(schedule, "status");
  streams.out << text_at(schedule, "name") << "\n";
  for (const auto& [key, value] : schedule.items())
    if (key != "name" && key != "status") streams.out << row(key, text_at(schedule, key));
  streams.out << row("state", text_at(status, "state"));
  const Json& paused = part_at(status, "paused");
  if (!paused.is_null())
    streams.out << row(
        "paused",
        fmt::format("by {}, since {}{}{}", text_at(paused, "by"), short_time(text_at(paused, "since")),
                    text_at(paused, "why").empty() ? "" : ": ", text_at(paused, "why")));
  if (const std::string next = text_at(status, "next"); !next.empty())
    streams.out << row("next", short_time(next));
  streams.out << row("edition",
                     fmt::format("{}.{}, since {}", text_at(status, "uid"), text_at(status, "version"),
                                 short_time(text_at(status, "since"))));
}

void next(const ScheduleCommandOptions& options, const std::string& name, const ApiClient& api,
          Streams& streams) {
  std::string query = fmt::format("/next?count={}", options.count);
  if (!options.from.empty()) query += "&from=" + url_escaped(options.from);
  const Json answer = api.get(schedule_path(name, query));
  if (options.format == Format::json) {
    streams.out << answer.dump(2) << "\n";
    return;
  }
  for (const Json& slot : part_at(answer, "slots")) {
    const std::string at = short_time(text_at(slot, "slot"));
    const std::string due = short_time(text_at(slot, "due"));
    streams.out << fmt::format("{}  {}{}\n", text_at(slot, "local"), at, due == at ? "" : "  due " + due);
  }
  if (part_at(answer, "end") == true) streams.out << "and none after that\n";
}

// Which slots a row of the history is about.
std::string slots_of(const Json& fire) {
  if (const Json& event = part_at(fire, "event"); !event.is_null()) return short_time(text_at(event, "slot"));
  const std::string from = short_time(text_at(fire, "from"));
  const std::string count = text_at(fire, "slots");
  return count == "1" ? from : fmt::format("{} from {} to {}", count, from, short_time(text_at(fire, "to")));
}

// So many rows of the history as are asked for. A page has fewer where the server had to look at many others; there is
// an end to that here, too.
constexpr int kMostPages = 100;

Json fires_of(const std::string& path, const ScheduleCommandOptions& options, const ApiClient& api,
              Streams& streams) {
  const std::size_t count = options.count;
  std::string after;
  Json rows = Json::array();
  for (int pages = 1;; ++pages) {
    std::string query = fmt::format("?limit={}", count - rows.size());
    if (!options.outcome.empty()) query += "&outcome=" + url_escaped(options.outcome);
    if (!after.empty()) query += "&after=" + url_escaped(after);
    Json answer = api.get(path + query);
    for (const Json& row : part_at(answer, "fires")) rows.push_back(row);
    const std::string next = text_at(answer, "next");
    if (rows.size() < count && part_at(answer, "more") == true && next != after) {
      after = next;
      if (pages < kMostPages) continue;
      streams.err << fmt::format("there may be more before row {} of the history, which was not looked at\n",
                                 after);
    }
    answer["fires"] = std::move(rows);
    return answer;
  }
}

// Of all schedules if `name` is empty.
void fires(const ScheduleCommandOptions& options, const std::string& name, const ApiClient& api,
           Streams& streams) {
  const Json answer =
      fires_of(name.empty() ? "/v1/fires" : schedule_path(name, "/fires"), options, api, streams);
  if (options.format == Format::json) {
    streams.out << answer.dump(2) << "\n";
    return;
  }
  const Json& all = part_at(answer, "fires");
  if (all.empty()) {
    streams.out << "nothing\n";
    return;
  }
  std::vector<ListRow> rows = {{"AT", "NAME", "OUTCOME", "SLOT"}};
  for (const Json& each : all)
    rows.push_back({short_time(text_at(each, "at")), text_at(each, "schedule"), text_at(each, "outcome"),
                    slots_of(each)});
  streams.out << table_of(rows);
}

void backfill(const ScheduleCommandOptions& options, const std::string& name, const ApiClient& api,
              Streams& streams) {
  Json body = Json::object();
  if (!options.slots.empty()) body["slots"] = options.slots;
  if (!options.from.empty()) body["from"] = options.from;
  if (!options.to.empty()) body["to"] = options.to;
  if (options.dry_run) body["dry_run"] = true;
  ClientRequest request{"POST", schedule_path(name, "/backfill"), body.dump(), {}};
  if (!options.key.empty()) request.headers.emplace_back("Idempotency-Key", options.key);
  const Json answer = api.ask(request).json;
  if (options.format == Format::json) {
    streams.out << answer.dump(2) << "\n";
    return;
  }
  const Json& slots = part_at(answer, "slots");
  for (const Json& slot : slots)
    if (slot.is_string()) streams.out << short_time(format::printable(slot.get<std::string>(), 60)) << "\n";
  streams.out << fmt::format("{} {} {}{}\n", format::printable(name, 200),
                             options.dry_run ? "would run" : "is to run",
                             slots.size() == 1 ? "once" : fmt::format("{} times", slots.size()),
                             options.dry_run ? "" : fmt::format(": run {}", text_at(answer, "run")));
}

// What is done to each name by itself.
void act(const ScheduleCommandOptions& options, const std::string& name, const ApiClient& api,
         Streams& streams) {
  const bool as_json = options.format == Format::json;
  const auto post = [&](const std::string& verb, const Json& body, std::string key = {}) {
    ClientRequest request{"POST", schedule_path(name, "/" + verb), body.dump(), {}};
    if (!key.empty()) request.headers.emplace_back("Idempotency-Key", std::move(key));
    return api.ask(request).json;
  };
  const auto show = [&](const Json& json, const std::string& text) {
    streams.out << (as_json ? json.dump(2) : text) << "\n";
  };
  const std::string shown = format::printable(name, 200);
  const Json why = options.why.empty() ? Json::object() : Json{{"why", options.why}};
  switch (options.action) {
    case ScheduleAction::get: {
      const Json schedule = api.get(schedule_path(name));
      if (as_json)
        streams.out << schedule.dump(2) << "\n";
      else
        show_schedule(schedule, streams);
      return;
    }
    case ScheduleAction::remove: {
      const std::string etag = api.ask({"GET", schedule_path(name), std::nullopt, {}}).etag;
      api.ask({"DELETE", schedule_path(name), std::nullopt, {{"If-Match", etag}}});
      return show(Json{{"name", name}, {"result", "deleted"}}, shown + " deleted");
    }
    case ScheduleAction::trigger: {
      const Json answer = post("trigger", Json::object(), options.key);
      const Json& event = part_at(answer, "event");
      return show(answer, fmt::format("{} is to run once: event {}", shown, text_at(event, "id")));
    }
    case ScheduleAction::backfill: return backfill(options, name, api, streams);
    case ScheduleAction::pause: return show(post("pause", why), shown + " is paused");
    case ScheduleAction::resume: return show(post("resume", why), shown + " runs again");
    case ScheduleAction::next: return next(options, name, api, streams);
    case ScheduleAction::fires: return fires(options, name, api, streams);
    case ScheduleAction::list:
    case ScheduleAction::apply: return;  // not by name
  }
}

std::string leaders_text(const Json& answer) {
  std::string text;
  for (const Json& leader : part_at(answer, "leaders")) {
    const bool led = part_at(leader, "led") == true;
    const std::string number = text_at(leader, "resource");
    const std::string which = number == "0" ? "" : fmt::format(" resource {}", number);
    text +=
        led ? fmt::format("node {} leads{}{}, epoch {}, its lease ends in {}\n", text_at(leader, "node"),
                          which, part_at(leader, "is_this") == true ? " (the instance that was asked)" : "",
                          text_at(leader, "epoch"), text_at(leader, "expires_in"))
            : fmt::format("nobody leads{}, last epoch {}\n", which, text_at(leader, "epoch"));
  }
  if (text.empty()) text = "nobody leads\n";
  if (const Json& hold = part_at(answer, "hold"); !hold.is_null())
    text += fmt::format("firing is held since {}: the store's clock jumped by {}\n",
                        short_time(text_at(hold, "since")), text_at(hold, "jump"));
  return text;
}

}  // namespace

ExitCode schedule_command(const ScheduleCommandOptions& options, Streams& streams) {
  const ApiClient api(options.server);
  ExitCode code = ExitCode::pass;
  const auto attempt = [&](const std::string& name, const auto& action) {
    try {
      action();
    } catch (const ClientError& error) {
      print_error(streams, name.empty() ? error.what()
                                        : fmt::format("{}: {}", format::printable(name, 200), error.what()));
      code = worse(code, error.code());
    }
  };
  if (options.action == ScheduleAction::list) {
    attempt("", [&] { list(options, api, streams); });
  } else if (options.action == ScheduleAction::apply) {
    attempt("", [&] { code = apply_schedules(options, api, streams); });
  }
  if (options.action == ScheduleAction::fires && options.names.empty())
    attempt("", [&] { fires(options, "", api, streams); });
  for (const std::string& name : options.names) attempt(name, [&] { act(options, name, api, streams); });
  return code;
}

ExitCode leader_command(const LeaderCommandOptions& options, Streams& streams) {
  try {
    const Json answer = ApiClient(options.server).get("/v1/leaders");
    streams.out << (options.format == Format::json ? answer.dump(2) + "\n" : leaders_text(answer));
    const Json& leaders = part_at(answer, "leaders");
    const bool all_led = leaders.is_array() && !leaders.empty() &&
                         std::all_of(leaders.begin(), leaders.end(),
                                     [](const Json& leader) { return part_at(leader, "led") == true; });
    return all_led ? ExitCode::pass : ExitCode::fail;
  } catch (const ClientError& error) {
    print_error(streams, error.what());
    return error.code();
  }
}

}  // namespace tenure::cli
