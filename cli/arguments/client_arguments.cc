#include "cli/arguments/client_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <utility>

#include "cli/client/http_client.h"
#include "lab/session/read_file.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kLongestToken = 4'096;
constexpr std::uint32_t kMostSlots = 1'000;
constexpr std::uint32_t kMostEvents = 1'000'000;

void add_server(CLI::App* command, RawClient& raw, std::optional<std::string>& format) {
  command->add_option("--server", raw.server, "where tenured is (TENURE_SERVER, or http://127.0.0.1:8420)")
      ->type_name("URL");
  command->add_option("--token-file", raw.token_file, "a file with the token (else TENURE_TOKEN has it)")
      ->type_name("FILE");
  command->add_option("--format", format, "text or json (text)")->type_name("FORMAT");
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string token_of(const RawClient& raw) {
  std::string token = environment("TENURE_TOKEN");
  if (raw.token_file) {
    std::string why;
    const auto text = lab::read_file(*raw.token_file, kLongestToken, why);
    if (!text) throw UsageError(fmt::format("--token-file {}: {}", *raw.token_file, why));
    token = *text;
  }
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!token.empty() && is_space(token.back())) token.pop_back();
  while (!token.empty() && is_space(token.front())) token.erase(token.begin());
  if (raw.token_file && token.empty())
    throw UsageError(fmt::format("--token-file {}: it is empty", *raw.token_file));
  for (const char c : token)
    if (c <= ' ' || c > '~') throw UsageError("the token has a character that no token has");
  return token;
}

ServerOptions server_of(const RawClient& raw) {
  ServerOptions server;
  const std::string from_environment = environment("TENURE_SERVER");
  if (raw.server)
    server.url = *raw.server;
  else if (!from_environment.empty())
    server.url = from_environment;
  if (const std::string problem = problem_of_server(server.url); !problem.empty())
    throw UsageError(
        fmt::format("{} `{}` {}", raw.server ? "--server" : "TENURE_SERVER", server.url, problem));
  server.token = token_of(raw);
  return server;
}

constexpr std::pair<std::string_view, ScheduleAction> kActions[] = {
    {"list", ScheduleAction::list},       {"get", ScheduleAction::get},
    {"apply", ScheduleAction::apply},     {"delete", ScheduleAction::remove},
    {"trigger", ScheduleAction::trigger}, {"backfill", ScheduleAction::backfill},
    {"pause", ScheduleAction::pause},     {"resume", ScheduleAction::resume},
    {"next", ScheduleAction::next},       {"fires", ScheduleAction::fires}};

constexpr std::pair<std::string_view, EventAction> kEventActions[] = {
    {"dead", EventAction::dead}, {"replay", EventAction::replay}, {"discard", EventAction::discard}};

// Of a command that takes up to so many of something.
std::size_t count_of(const RawClient& raw, std::uint32_t otherwise, std::uint32_t most) {
  const std::uint32_t count = raw.count.value_or(otherwise);
  if (count < 1 || count > most) throw UsageError(fmt::format("--count is from 1 to {}", most));
  return count;
}

}  // namespace

CLI::App* declare_schedule(CLI::App& app, RawClient& raw, std::optional<std::string>& format) {
  CLI::App* schedule = app.add_subcommand("schedule", "see and change the schedules of a running tenured");
  schedule->require_subcommand(1);
  const auto add = [&](const char* name, const char* doc) {
    CLI::App* command = schedule->add_subcommand(name, doc);
    add_server(command, raw, format);
    return command;
  };
  const auto add_names = [&](CLI::App* command) {
    command->add_option("NAME", raw.names, "which schedules")->required()->type_name("");
  };
  CLI::App* list = add("list", "list schedules");
  list->add_option("--prefix", raw.prefix, "only names that begin so")->type_name("TEXT");
  list->add_option("--label", raw.labels, "only with this label, like team=ops; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  list->add_option("--state", raw.state, "only those that are active, paused, finished or unreadable")
      ->type_name("STATE");
  list->add_option("--order", raw.order, "name, -name or next (name)")->type_name("ORDER");
  add_names(add("get", "show schedules"));
  CLI::App* apply = add("apply", "create and change schedules as a file says, and show what changes");
  apply->add_option("-f,--file", raw.file, "TOML or JSON, of one schedule or many; `-` is standard input")
      ->required()
      ->type_name("FILE");
  apply->add_flag("--dry-run", raw.dry_run, "show what would change, and change nothing");
  add_names(add("delete", "delete schedules"));
  CLI::App* trigger = add("trigger", "run a schedule once, now");
  trigger->add_option("NAME", raw.name, "which schedule")->required()->type_name("");
  trigger->add_option("--idempotency-key", raw.key, "the same key again is the same run")->type_name("KEY");
  CLI::App* backfill = add("backfill", "run a schedule for slots that have passed");
  backfill->add_option("NAME", raw.name, "which schedule")->required()->type_name("");
  CLI::Option* from =
      backfill->add_option("--from", raw.from, "slots from here on, like 2026-11-20T00:00:00Z");
  CLI::Option* to = backfill->add_option("--to", raw.to, "and before here");
  from->needs(to)->type_name("TIME");
  to->needs(from)->type_name("TIME");
  backfill->add_option("--slot", raw.slots, "this slot; may be repeated")
      ->excludes(from)
      ->allow_extra_args(false)
      ->type_name("TIME");
  backfill->add_flag("--dry-run", raw.dry_run, "print which slots these are, and run nothing");
  backfill->add_option("--idempotency-key", raw.key, "the same key again is the same run")->type_name("KEY");
  for (const auto& [name, doc] :
       {std::pair("pause", "let schedules fire no more"), std::pair("resume", "let schedules fire again")}) {
    CLI::App* command = add(name, doc);
    add_names(command);
    command->add_option("--why", raw.why, "the reason, for the log")->type_name("TEXT");
  }
  CLI::App* next = add("next", "print when a schedule is due");
  next->add_option("NAME", raw.name, "which schedule")->required()->type_name("");
  next->add_option("--count", raw.count, "how many (10)")->type_name("N");
  next->add_option("--from", raw.from, "from here on, like 2026-03-28T00:00:00Z (now)")->type_name("TIME");
  CLI::App* fires = add("fires", "print what became of slots, the latest first");
  fires->add_option("NAME", raw.names, "which schedules (all)")->type_name("");
  fires->add_option("--count", raw.count, "how many (10)")->type_name("N");
  fires->add_option("--outcome", raw.outcome, "fired, missed, paused, overlapped, deleted or replaced alone")
      ->type_name("WHAT");
  return schedule;
}

CLI::App* declare_event(CLI::App& app, RawClient& raw, std::optional<std::string>& format) {
  CLI::App* event =
      app.add_subcommand("event", "see, replay and discard the dead events of a running tenured");
  event->require_subcommand(1);
  CLI::App* dead = event->add_subcommand("dead", "list events that were given up");
  dead->add_option("--schedule", raw.schedule, "only those of this one")->type_name("NAME");
  dead->add_flag("--discarded", raw.discarded, "those that somebody has discarded, instead");
  dead->add_option("--count", raw.count, "how many at most (100)")->type_name("N");
  add_server(dead, raw, format);
  for (const auto& [name, doc] : {std::pair("replay", "have dead events delivered again"),
                                  std::pair("discard", "let dead events go: they are not listed any more")}) {
    CLI::App* command = event->add_subcommand(name, doc);
    CLI::Option* keys =
        command->add_option("KEY", raw.keys, "which events, as `dead` lists them")->type_name("");
    CLI::Option* all = command->add_flag("--all", raw.all, "all that are dead now")->excludes(keys);
    command->add_option("--schedule", raw.schedule, "of these, only those of this one")
        ->needs(all)
        ->type_name("NAME");
    add_server(command, raw, format);
  }
  return event;
}

CLI::App* declare_leader(CLI::App& app, RawClient& raw, std::optional<std::string>& format) {
  CLI::App* leader = app.add_subcommand("leader", "say who leads, of the instances of a running tenured");
  add_server(leader, raw, format);
  return leader;
}

ScheduleCommandOptions schedule_options(const CLI::App& schedule, const RawClient& raw, Format format) {
  ScheduleCommandOptions options;
  const std::string chosen = schedule.get_subcommands().front()->get_name();
  for (const auto& [name, action] : kActions)
    if (name == chosen) options.action = action;
  options.server = server_of(raw);
  options.format = format;
  options.names = raw.names;
  if (!raw.name.empty()) options.names.push_back(raw.name);
  for (const std::string& name : options.names)
    if (name.empty()) throw UsageError("the name of a schedule is empty");
  options.file = raw.file.value_or("");
  options.dry_run = raw.dry_run;
  options.why = raw.why;
  options.key = raw.key;
  options.prefix = raw.prefix;
  options.state = raw.state;
  options.labels = raw.labels;
  options.order = raw.order;
  options.from = raw.from;
  options.to = raw.to;
  options.slots = raw.slots;
  if (options.action == ScheduleAction::backfill && raw.from.empty() && raw.slots.empty())
    throw UsageError("backfill needs --from and --to, or --slot");
  options.outcome = raw.outcome;
  options.count = count_of(raw, 10, kMostSlots);
  return options;
}

EventCommandOptions event_options(const CLI::App& event, const RawClient& raw, Format format) {
  EventCommandOptions options;
  const std::string chosen = event.get_subcommands().front()->get_name();
  for (const auto& [name, action] : kEventActions)
    if (name == chosen) options.action = action;
  options.server = server_of(raw);
  options.format = format;
  options.keys = raw.keys;
  options.all = raw.all;
  if (options.action != EventAction::dead && options.keys.empty() && !options.all)
    throw UsageError(fmt::format("{} which events? Name their keys, or say --all", chosen));
  options.schedule = raw.schedule;
  options.discarded = raw.discarded;
  options.count = count_of(raw, 100, kMostEvents);
  return options;
}

LeaderCommandOptions leader_options(const RawClient& raw, Format format) { return {server_of(raw), format}; }

}  // namespace tenure::cli
