#include "cli/app.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/arguments/command.h"
#include "cli/arguments/defaults.h"
#include "cli/arguments/hints.h"
#include "cli/load.h"
#include "core/base/check.h"
#include "format/syntax/suggest.h"
#include "lab/session/version.h"

namespace tenure::cli {
namespace {

// Of the command, or of its own that was named.
std::string help_of(const CLI::App& command, const std::string& before) {
  const std::vector<CLI::App*> chosen = command.get_subcommands();
  if (chosen.empty()) return command.help(before);
  return chosen.front()->help(before + " " + command.get_name());
}

// In the help, a group stands where its first command does.
const std::pair<const char*, std::vector<const char*>> kGroups[] = {
    {"Start", {"init", "run", "advise", "check", "list"}},
    {"Explore", {"hunt", "shrink", "explain", "replay", "tune", "compare", "merge"}},
    {"Real processes and stores", {"live", "audit", "check-node", "probe", "observe"}},
    {"Service (a running tenured)", {"schedule", "event", "leader"}},
    {"Look up", {"next", "schema", "print"}},
};

// Empty: none was.
std::string name_of_chosen(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? std::string{} : chosen.front()->get_name();
}

// "WHAT: one of lease, job-table"; empty: nothing is.
std::string what_is_missing(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty() || error.get_name() != "RequiredError") return {};
  for (const CLI::Option* option : std::as_const(*chosen.front()).get_options())
    if (error.what() == option->get_name() + " is required" && !option->get_description().empty())
      return fmt::format("{}: {}", option->get_name(), option->get_description());
  return {};
}

// `command`: whose help lists what there is; empty: the program's.
ExitCode usage_error(std::string_view what, const std::string& hint, const std::string& command,
                     Streams& streams) {
  print_error(streams, what);
  if (!hint.empty()) streams.err << "  " << hint << "\n";
  streams.err << (command.empty() ? "`tenure help` lists the commands\n"
                                  : fmt::format("`tenure help {}` lists its options\n", command));
  return ExitCode::usage;
}

// When it is clear what was meant, that is all there is to say.
ExitCode unknown_command(const std::string& name, const std::string& hint, Streams& streams) {
  const std::string what = fmt::format("unknown command `{}`", name);
  if (hint.empty()) return usage_error(what, {}, {}, streams);
  print_error(streams, fmt::format("{}, {}", what, hint));
  return ExitCode::usage;
}

// The program, and what decides its results beside scenario and seed.
std::string built_with() {
  return fmt::format("tenure {}\ncompiler   {}\ntime zones {}\nSQLite     {}\n", lab::program(), __VERSION__,
                     system_zones().version(), sqlite3_libversion());
}

// CLI11 ends at --version, and reads nothing after it.
bool is_verbose(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& each) { return each == "-v" || each == "--verbose"; });
}

// Options that every command takes, before its name or after it.
struct Global {
  bool quiet = false;
  bool verbose = false;
  std::string color = "auto";

  void declare(CLI::App& app) {
    app.set_version_flag("--version", "",
                         "print the version; with --verbose, the compiler and libraries too");
    app.add_flag("-q,--quiet", quiet, "print neither progress nor warnings");
    app.add_flag("-v,--verbose", verbose,
                 "print details: of an answer, of what ran and for how long, and of defaults");
    app.add_option("--color", color, "auto (on a terminal, unless NO_COLOR is set), always or never")
        ->type_name("WHEN");
    app.fallthrough();
  }

  void set(Streams& streams) const {
    if (color != "auto") {
      const std::vector<std::string_view> names = {"auto", "always", "never"};
      if (color != "always" && color != "never")
        throw UsageError(fmt::format("--color `{}`: {}", color, format::suggestion(color, names)));
      streams.paint_out = streams.paint_err = color == "always";
    }
    if (quiet) streams.be_quiet();
    streams.verbose = verbose;
  }
};

}  // namespace

ExitCode run_app(const std::vector<std::string>& arguments, Streams& streams) {
  CLI::App app(
      "Tenure: is this leader election, with these parameters, and the scheduler on top of it, safe?",
      "tenure");
  Global global;
  global.declare(app);
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  Commands commands;
  for (const auto declare : {declare_init, declare_runs, declare_settings, declare_checks, declare_next,
                             declare_others, declare_clients})
    declare(app, commands);
  for (const auto& [group, names] : kGroups)
    for (const char* name : names) app.get_subcommand(name)->group(group);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    app.parse(std::move(reversed));
    const auto chosen = std::find_if(commands.begin(), commands.end(),
                                     [](const Command& command) { return command.is_chosen(); });
    CHECK(chosen != commands.end(), "CLI11 demands a command");
    global.set(streams);
    const std::string defaults = find_defaults();
    if (!defaults.empty())
      if (const auto code = take_defaults(defaults, commands, *chosen, streams)) return *code;
    const auto began = std::chrono::steady_clock::now();
    const ExitCode code = chosen->run(streams);
    if (global.verbose) {
      clear_progress(streams);
      streams.err << fmt::format(
          "tenure {}: {} in {:.1f}s{}\n", lab::program(), chosen->app().get_name(),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(),
          defaults.empty() ? "" : ", with the defaults of " + defaults);
    }
    return code;
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (chosen.empty() && !arguments.front().starts_with('-'))
      return unknown_command(arguments.front(), hint_for(arguments, app), streams);
    write_results(streams, chosen.empty() ? app.help() : help_of(*chosen.front(), "tenure"));
    return ExitCode::pass;
  } catch (const CLI::CallForAllHelp&) {
    write_results(streams, app.help("", CLI::AppFormatMode::All));
    return ExitCode::pass;
  } catch (const CLI::CallForVersion&) {
    write_results(streams, is_verbose(arguments) ? built_with() : fmt::format("tenure {}\n", lab::version()));
    return ExitCode::pass;
  } catch (const CLI::ParseError& error) {
    if (arguments.empty()) {
      streams.err << app.help();
      return ExitCode::usage;
    }
    const std::string missing = what_is_missing(error, app);
    const std::string hint = missing.empty() ? hint_for(arguments, app) : missing;
    const bool known = arguments.front().starts_with('-') || !app.get_subcommands().empty();
    return known ? usage_error(error.what(), hint, name_of_chosen(app), streams)
                 : unknown_command(arguments.front(), hint, streams);
  } catch (const UsageError& error) {
    return usage_error(error.what(), {}, name_of_chosen(app), streams);
  }
}

}  // namespace tenure::cli
