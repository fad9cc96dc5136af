// The arguments of `tenure schedule`, `event` and `leader`. The server and the token are those of TENURE_SERVER and
// TENURE_TOKEN where no argument says so.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "cli/arguments/command.h"
#include "cli/client/http_client.h"
#include "cli/commands/commands.h"
#include "lab/session/read_file.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kLongestToken = 4'096;
constexpr std::uint32_t kMostSlots = 1'000;
constexpr std::uint32_t kMostEvents = 1'000'000;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Throws UsageError.
std::string token_of(const std::optional<std::string>& token_file) {
  std::string token = environment("TENURE_TOKEN");
  if (token_file) {
    std::string why;
    const auto text = lab::read_file(*token_file, kLongestToken, why);
    if (!text) throw UsageError(fmt::format("--token-file {}: {}", *token_file, why));
    token = *text;
  }
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!token.empty() && is_space(token.back())) token.pop_back();
  while (!token.empty() && is_space(token.front())) token.erase(token.begin());
  if (token_file && token.empty()) throw UsageError(fmt::format("--token-file {}: it is empty", *token_file));
  for (const char c : token)
    if (c <= ' ' || c > '~') throw UsageError("the token has a character that no token has");
  return token;
}

// Each command here takes these.
template <class Options>
void take_server(Command& command, Options& options) {
  const auto token_file = std::make_shared<std::optional<std::string>>();
  command.text("--server", "URL", "where tenured is (TENURE_SERVER, or http://127.0.0.1:8420)",
               options.server.url);
  command.option("--token-file", "FILE", "a file with the token (else TENURE_TOKEN has it)",
                 [token_file](const std::string& text) { *token_file = text; });
  command.takes_format(options.format, "text or json (text)");
  command.check([token_file, &command, &server = options.server] {
    const bool given = command.given("--server");
    const std::string from_environment = environment("TENURE_SERVER");
    if (!given && !from_environment.empty()) server.url = from_environment;
    if (const std::string problem = problem_of_server(server.url); !problem.empty())
      throw UsageError(fmt::format("{} `{}` {}", given ? "--server" : "TENURE_SERVER", server.url, problem));
    server.token = token_of(*token_file);
  });
}

// Of a command that takes up to so many of something.
void take_count(Command& command, const char* doc, std::uint32_t most, std::size_t& count) {
  const auto raw = std::make_shared<std::uint32_t>(static_cast<std::uint32_t>(count));
  command.app().add_option("--count", *raw, doc)->type_name("N");
  command.check([raw, most, &count] {
    if (*raw < 1 || *raw > most) throw UsageError(fmt::format("--count is from 1 to {}", most));
    count = *raw;
  });
}

// The inner commands of `tenure schedule`.
class ScheduleCommands {
 public:
  ScheduleCommands(CLI::App& schedule, Commands& commands) : schedule_(schedule), commands_(commands) {}

  void declare() {
    declare_list();
    names(add("get", ScheduleAction::get, "show schedules"));
    declare_apply();
    names(add("delete", ScheduleAction::remove, "delete schedules"));
    declare_trigger();
    declare_backfill();
    declare_pause("pause", ScheduleAction::pause, "pause schedules");
    declare_pause("resume", ScheduleAction::resume, "resume paused schedules");
    declare_next();
    declare_fires();
  }

 private:
  using Options = ScheduleCommandOptions;
  struct Added {
    Command& command;
    Options& options;
  };

  Added add(const char* name, ScheduleAction action, const char* doc) {
    Command& command = commands_.emplace_back(schedule_, name, doc);
    const auto options = std::make_shared<Options>();
    options->action = action;
    take_server(command, *options);
    command.does_at_once([options](Streams& streams) { return schedule_command(*options, streams); });
    return {command, *options};
  }

  static void names(const Added& added, const char* doc = "which schedules", bool required = true) {
    added.command.texts("NAME", "", doc, added.options.names)->required(required);
    check_names(added);
  }
  static void one_name(const Added& added) {
    added.command
        .option("NAME", "", "which schedule",
                [&names = added.options.names](const std::string& text) { names = {text}; })
        ->required();
    check_names(added);
  }
  static void check_names(const Added& added) {
    added.command.check([&names = added.options.names] {
      for (const std::string& name : names)
        if (name.empty()) throw UsageError("the name of a schedule is empty");
    });
  }
  static void key(const Added& added) {
    added.command.text("--idempotency-key", "KEY", "the same key again is the same run", added.options.key);
  }

  void declare_list() {
    const auto [command, options] = add("list", ScheduleAction::list, "list schedules");
    command.text("--prefix", "TEXT", "only names that begin so", options.prefix);
    command
        .texts("--label", "KEY=VALUE", "only with this label, like team=ops; may be repeated", options.labels)
        ->allow_extra_args(false);
    command.text("--state", "STATE", "only those that are active, paused, finished or unreadable",
                 options.state);
    command.app().add_option("--order", options.order, "name, -name or next (name)")->type_name("ORDER");
  }

  void declare_apply() {
    const auto [command, options] = add("apply", ScheduleAction::apply,
                                        "create and change schedules as a file says, and show what changes");
    command
        .text("-f,--file", "FILE", "TOML or JSON, of one schedule or many; `-` is standard input",
              options.file)
        ->required();
    command.flag("--dry-run", "show what would change, and change nothing", options.dry_run);
  }

  void declare_trigger() {
    const Added added = add("trigger", ScheduleAction::trigger, "run a schedule once, now");
    one_name(added);
    key(added);
  }

  void declare_backfill() {
    const Added added =
        add("backfill", ScheduleAction::backfill, "run a schedule for slots that have passed");
    const auto [command, options] = added;
    one_name(added);
    CLI::Option* from =
        command.text("--from", "TIME", "slots from here on, like 2026-11-20T00:00:00Z", options.from);
    CLI::Option* to = command.text("--to", "TIME", "and before here", options.to);
    from->needs(to);
    to->needs(from);
    command.texts("--slot", "TIME", "this slot; may be repeated", options.slots)
        ->excludes(from)
        ->allow_extra_args(false);
    command.flag("--dry-run", "print which slots these are, and run nothing", options.dry_run);
    key(added);
    command.check([&options = added.options] {
      if (options.from.empty() && options.slots.empty())
        throw UsageError("backfill needs --from and --to, or --slot");
    });
  }

  void declare_pause(const char* name, ScheduleAction action, const char* doc) {
    const Added added = add(name, action, doc);
    names(added);
    added.command.text("--why", "TEXT", "the reason, for the log", added.options.why);
  }

  void declare_next() {
    const Added added = add("next", ScheduleAction::next, "print when a schedule is due");
    one_name(added);
    take_count(added.command, "how many (10)", kMostSlots, added.options.count);
    added.command.text("--from", "TIME", "from here on, like 2026-03-28T00:00:00Z (now)", added.options.from);
  }

  void declare_fires() {
    const Added added = add("fires", ScheduleAction::fires, "print the history of slots, the latest first");
    names(added, "which schedules (all)", false);
    take_count(added.command, "how many (10)", kMostSlots, added.options.count);
    added.command.text("--outcome", "WHAT", "fired, missed, paused, overlapped, deleted or replaced alone",
                       added.options.outcome);
  }

  CLI::App& schedule_;
  Commands& commands_;
};

// With how many there are, or which.
std::pair<Command&, EventCommandOptions&> add_event(CLI::App& event, Commands& commands, EventAction action,
                                                    const char* name, const char* doc) {
  Command& command = commands.emplace_back(event, name, doc);
  const auto options = std::make_shared<EventCommandOptions>();
  options->action = action;
  command.does_at_once([options](Streams& streams) { return event_command(*options, streams); });
  return {command, *options};
}

void declare_dead(CLI::App& event, Commands& commands) {
  const auto [command, options] = add_event(event, commands, EventAction::dead, "dead", "list dead events");
  command.text("--schedule", "NAME", "only those of this one", options.schedule);
  command.flag("--discarded", "those that somebody has discarded, instead", options.discarded);
  take_count(command, "how many at most (100)", kMostEvents, options.count);
  take_server(command, options);
}

void declare_act(CLI::App& event, Commands& commands, EventAction action, const char* name, const char* doc) {
  const auto [command, options] = add_event(event, commands, action, name, doc);
  CLI::Option* keys = command.texts("KEY", "", "which events, as `dead` lists them", options.keys);
  CLI::Option* all = command.app().add_flag("--all", options.all, "all that are dead now")->excludes(keys);
  command.text("--schedule", "NAME", "of these, only those of this one", options.schedule)->needs(all);
  take_server(command, options);
  command.check([name, &options = options] {
    if (options.keys.empty() && !options.all)
      throw UsageError(fmt::format("{} which events? Name their keys, or say --all", name));
  });
}

}  // namespace

void declare_clients(CLI::App& app, Commands& commands) {
  CLI::App& schedule = *app.add_subcommand("schedule", "see and change the schedules of a running tenured");
  schedule.require_subcommand(1);
  ScheduleCommands(schedule, commands).declare();
  CLI::App& event =
      *app.add_subcommand("event", "see, replay and discard the dead events of a running tenured");
  event.require_subcommand(1);
  declare_dead(event, commands);
  declare_act(event, commands, EventAction::replay, "replay", "deliver dead events again");
  declare_act(event, commands, EventAction::discard, "discard",
              "discard dead events: they are no longer listed");
  Command& leader =
      commands.emplace_back(app, "leader", "show which instance of a running tenured is leader");
  const auto options = std::make_shared<LeaderCommandOptions>();
  take_server(leader, *options);
  leader.does_at_once([options](Streams& streams) { return leader_command(*options, streams); });
}

}  // namespace tenure::cli
