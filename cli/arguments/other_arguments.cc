// The arguments of `tenure probe`, `observe`, `list`, `schema`, `init` and `print`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/arguments/command.h"
#include "cli/commands/commands.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

void take_length(Command& command, const std::string& flag, const std::string& doc, Duration& length,
                 Duration most) {
  command.option(flag, "DURATION", doc, [flag, &length, most](const std::string& text) {
    constexpr Duration kLeast = Duration::millis(1);
    const Parsed<Duration> parsed = parse_duration(text);
    if (!parsed.value) throw UsageError(fmt::format("{}: {}", flag, parsed.problem));
    if (*parsed.value < kLeast || *parsed.value > most)
      throw UsageError(
          fmt::format("{} is from {} to {}", flag, print_duration(kLeast), print_duration(most)));
    length = *parsed.value;
  });
}

void declare_probe(CLI::App& app, Commands& commands) {
  Command& command =
      commands.emplace_back(app, "probe", "measure a real store, and write the [store] table of a scenario");
  const auto options = std::make_shared<ProbeOptions>();
  command
      .text("STORE", "", "postgres://… or another connection string of libpq, or a file of SQLite",
            options->target)
      ->required();
  command.check([options] {
    if (options->target.empty())
      throw UsageError("probe takes a store: a connection string in quotes, or a file");
  });
  take_length(command, "--for", "for how long (10s)", options->length, Duration::seconds(86'400));
  take_length(command, "--every", "one round trip and one commit in this time (100ms)", options->every,
              Duration::seconds(3'600));
  command.text("--write", "FILE", "write the tables to FILE, as TOML", options->write);
  command.takes_format(options->format, "text or json");
  command.does_at_once([options](Streams& streams) { return probe_command(*options, streams); });
}

void declare_observe(CLI::App& app, Commands& commands) {
  Command& command =
      commands.emplace_back(app, "observe", "read renewals and handovers off Kubernetes leases");
  const auto options = std::make_shared<ObserveOptions>();
  command.text("FILE", "", "what `kubectl get lease -w -o json` printed", options->path)->required();
  command.text("--lease", "NAME", "read only this lease, like kube-system/kube-scheduler", options->lease);
  command.text("--gaps", "FILE", "write the gaps between renewals to FILE, as CSV", options->gaps);
  command.takes_format(options->format, "text or json");
  command.does_at_once([options](Streams& streams) { return observe_command(*options, streams); });
}

// One of some names.
CLI::Option* take_subject(Command& command, const std::string& doc, const char* unknown,
                          std::vector<std::string_view> (*subjects)(), std::string& into) {
  CLI::Option* option = command.option("WHAT", "", doc, [unknown, subjects, &into](const std::string& text) {
    const std::vector<std::string_view> known = subjects();
    if (std::find(known.begin(), known.end(), text) == known.end())
      throw UsageError(fmt::format("{} `{}`: {}", unknown, text, format::suggestion(text, known)));
    into = text;
  });
  command.offers(option, subjects());
  return option;
}

void declare_list(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "list", "list what a scenario can name");
  const auto options = std::make_shared<ListOptions>();
  take_subject(command, "protocols, schedulers, stores, faults, families, checkers or scenarios",
               "cannot list", list_subjects, options->what);
  command.option("DIR", "", "of `list scenarios`: where they are (scenarios)",
                 [options](const std::string& text) {
                   if (options->what != "scenarios")
                     throw UsageError(
                         fmt::format("`list {}` takes no folder: it is for `list scenarios`", options->what));
                   options->folder = text;
                 });
  command.does_at_once([options](Streams& streams) { return list_command(*options, streams); });
}

void declare_schema(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(
      app, "schema", "print the JSON schema of scenario files, or of a command's output");
  const auto subject = std::make_shared<std::optional<std::string>>();
  command.offers(
      command.option("--of", "WHAT", fmt::format("one of {} (scenario)", fmt::join(schema_subjects(), ", ")),
                     [subject](const std::string& text) { *subject = text; }),
      schema_subjects());
  command.does_at_once([subject](Streams& streams) { return schema_command(*subject, streams); });
}

void declare_print(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(
      app, "print", "print the SQL that creates a store's tables, or a shell's completion script");
  const auto words = std::make_shared<std::pair<std::string, std::string>>();
  CLI::Option* what = command.text("WHAT", "", "migrations or completion", words->first)->required();
  command.offers(what, {"migrations", "completion"});
  CLI::Option* of =
      command.text("OF", "", "postgres or sqlite; bash, fish or zsh", words->second)->required();
  command.offers(of, {"postgres", "sqlite", "bash", "fish", "zsh"});
  command.does_at_once([words, &app, &commands](Streams& streams) {
    Offers offers;
    for (const Command& each : commands) offers.insert(each.offered().begin(), each.offered().end());
    return print_command(words->first, words->second, {app, offers}, streams);
  });
}

}  // namespace

void declare_init(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "init", "write a design and a scenario to begin with");
  const auto options = std::make_shared<InitOptions>();
  take_subject(command, fmt::format("one of {}", fmt::join(init_subjects(), ", ")), "unknown template",
               init_subjects, options->what)
      ->required();
  command.text("DIR", "", "where to (.)", options->folder);
  command.does_at_once([options](Streams& streams) { return init_command(*options, streams); });
}

void declare_others(CLI::App& app, Commands& commands) {
  declare_probe(app, commands);
  declare_observe(app, commands);
  declare_list(app, commands);
  declare_schema(app, commands);
  declare_print(app, commands);
}

}  // namespace tenure::cli
