#include "cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "cli/arguments/arguments.h"
#include "cli/arguments/calibration_arguments.h"
#include "cli/arguments/client_arguments.h"
#include "cli/arguments/compare_arguments.h"
#include "cli/arguments/hints.h"
#include "cli/arguments/hunt_arguments.h"
#include "cli/arguments/next_arguments.h"
#include "cli/arguments/options.h"
#include "cli/arguments/report_arguments.h"
#include "cli/arguments/tune_arguments.h"
#include "cli/commands/advise_command.h"
#include "cli/commands/audit_command.h"
#include "cli/commands/check_command.h"
#include "cli/commands/check_node_command.h"
#include "cli/commands/compare_command.h"
#include "cli/commands/exhaustive_command.h"
#include "cli/commands/explain_command.h"
#include "cli/commands/hunt_command.h"
#include "cli/commands/init_command.h"
#include "cli/commands/list_command.h"
#include "cli/commands/next_command.h"
#include "cli/commands/observe_command.h"
#include "cli/commands/print_command.h"
#include "cli/commands/probe_command.h"
#include "cli/commands/replay_command.h"
#include "cli/commands/run_command.h"
#include "cli/commands/schedule_command.h"
#include "cli/commands/schema_command.h"
#include "cli/commands/shrink_command.h"
#include "cli/commands/tune_command.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"
#include "lab/session/version.h"

namespace tenure::cli {
namespace {

// The arguments as CLI11 leaves them: text, to be read by the functions above. One that was given may be empty.
struct Raw {
  std::vector<std::string> paths;
  std::vector<std::string> sets;
  std::optional<std::string> seed;
  std::optional<std::string> seeds;
  std::optional<std::string> format;
  std::optional<std::string> jobs;
  std::optional<std::string> trace;
  std::optional<std::string> trace_level;
  bool print_plan = false;
  bool twice = false;
  std::optional<std::string> what;
  std::optional<std::string> folder;
  std::optional<std::string> engine;
  RawNext next;
  RawHunt hunt;
  RawTune tune;
  RawCompare compare;
  RawProbe probe;
  RawObserve observe;
  RawClient client;
  RawReport report;
  std::string program;
  std::vector<std::string> journals;
  bool start_missing = false;
};

void add_jobs(CLI::App* command, Raw& raw) {
  command->add_option("-j,--jobs", raw.jobs, "how many runs at once; changes no result (all cores)")
      ->type_name("N");
}

void add_sets(CLI::App* command, Raw& raw) {
  command->add_option("--set", raw.sets, "override a key, like election.lease_duration=20s; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_files(CLI::App* command, Raw& raw, const char* what = "scenario files, or folders of them") {
  command->add_option("FILE", raw.paths, what)->required()->type_name("");
  add_sets(command, raw);
}

struct Commands {
  CLI::App* run = nullptr;
  CLI::App* hunt = nullptr;
  CLI::App* shrink = nullptr;
  CLI::App* explain = nullptr;
  CLI::App* replay = nullptr;
  CLI::App* tune = nullptr;
  CLI::App* advise = nullptr;
  CLI::App* compare = nullptr;
  CLI::App* check = nullptr;
  CLI::App* check_node = nullptr;
  CLI::App* audit = nullptr;
  CLI::App* next = nullptr;
  CLI::App* probe = nullptr;
  CLI::App* observe = nullptr;
  CLI::App* list = nullptr;
  CLI::App* schema = nullptr;
  CLI::App* init = nullptr;
  CLI::App* print = nullptr;
  CLI::App* schedule = nullptr;
  CLI::App* event = nullptr;
  CLI::App* leader = nullptr;
};

void declare_hunts(CLI::App& app, Raw& raw, Commands& commands) {
  commands.hunt = app.add_subcommand("hunt", "look for a seed that fails, and shrink what fails");
  add_files(commands.hunt, raw);
  commands.hunt->add_option("--seeds", raw.seeds, "how many seeds, from 1, or which (1000)")
      ->type_name("N or A..B");
  add_jobs(commands.hunt, raw);
  declare_report(*commands.hunt, raw.report);
  declare_page(*commands.hunt, raw.report);
  declare_hunt(*commands.hunt, raw.hunt);
  commands.shrink = app.add_subcommand("shrink", "make a failing scenario as small as it can be");
  add_files(commands.shrink, raw, "one scenario file");
  commands.shrink->add_option("--seed", raw.seed, "the seed that fails; else the file's")->type_name("N");
  declare_shrink(*commands.shrink, raw.hunt);
  commands.explain = app.add_subcommand("explain", "say what led to the first violation of a run");
  add_files(commands.explain, raw, "one scenario file");
  commands.explain->add_option("--seed", raw.seed, "of the run; else the file's")->type_name("N");
  commands.replay = app.add_subcommand("replay", "run saved failures again");
  declare_replay(*commands.replay, raw.hunt);
  add_sets(commands.replay, raw);
  add_jobs(commands.replay, raw);
  declare_report(*commands.replay, raw.report);
  declare_page(*commands.replay, raw.report);
}

Commands declare(CLI::App& app, Raw& raw) {
  app.set_version_flag("--version", fmt::format("tenure {}", lab::version()));
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  Commands commands;
  commands.run = app.add_subcommand("run", "simulate scenarios and judge them");
  add_files(commands.run, raw);
  CLI::Option* seed =
      commands.run->add_option("--seed", raw.seed, "the seed; else the file's, else a drawn one")
          ->type_name("N");
  commands.run->add_option("--seeds", raw.seeds, "every seed from A to B, or from 1 to N, and a summary")
      ->type_name("A..B")
      ->excludes(seed);
  add_jobs(commands.run, raw);
  declare_report(*commands.run, raw.report);
  commands.run->add_option("--trace", raw.trace, "write every event of one run there, as JSON lines")
      ->type_name("FILE");
  commands.run
      ->add_option("--trace-level", raw.trace_level,
                   "story: what a reader needs to draw the run; full: all (full)")
      ->type_name("LEVEL");
  declare_page(*commands.run, raw.report);
  declare_recording(*commands.run, raw.report);
  commands.run->add_flag("--print-plan", raw.print_plan,
                         "print the scenario with its faults drawn, and do not run it");
  commands.run->add_flag("--twice", raw.twice, "run each twice, and compare");
  declare_hunts(app, raw, commands);
  commands.tune = app.add_subcommand("tune", "try settings: what they cost, and where they stop being safe");
  add_files(commands.tune, raw, "one scenario file");
  add_jobs(commands.tune, raw);
  declare_tune(*commands.tune, raw.tune);
  declare_page(*commands.tune, raw.report);
  commands.advise = app.add_subcommand("advise", "are a file's settings safe, and which would be better?");
  add_files(commands.advise, raw, "one scenario file");
  commands.advise->add_option("--seeds", raw.seeds, "how many runs of each setting (10)")->type_name("N");
  add_jobs(commands.advise, raw);
  commands.compare = declare_compare(app, raw.compare);
  declare_page(*commands.compare, raw.report);
  add_jobs(commands.compare, raw);
  commands.check = app.add_subcommand("check", "look for errors in scenarios, and run nothing");
  add_files(commands.check, raw);
  // What follows is the program's, flags included.
  commands.check_node = app.add_subcommand("check-node", "say whether a program keeps the node protocol");
  commands.check_node->prefix_command();
  commands.check_node->add_option("COMMAND", raw.program, "the program, and its arguments")
      ->required()
      ->type_name("...");
  commands.audit = app.add_subcommand("audit", "check journals that real processes wrote");
  commands.audit->add_option("JOURNAL", raw.journals, "of processes on one store, whole: all files of each")
      ->required()
      ->type_name("");
  declare_page_file(*commands.audit, raw.report);
  commands.audit->add_flag(
      "--start-missing", raw.start_missing,
      "the oldest files were deleted on purpose: what is left is judged, and is no pass");
  commands.audit->add_option("--format", raw.format, "text or json (text)")->type_name("FORMAT");
  commands.next = declare_next(app, raw.next, raw.format);
  commands.probe = declare_probe(app, raw.probe, raw.format);
  commands.observe = declare_observe(app, raw.observe, raw.format);
  commands.list = app.add_subcommand("list", "what a scenario can name");
  commands.list
      ->add_option("WHAT", raw.what, "protocols, schedulers, stores, faults, families, checkers or scenarios")
      ->type_name("");
  commands.list->add_option("DIR", raw.folder, "of `list scenarios`: where they are (scenarios)")
      ->type_name("");
  commands.schema =
      app.add_subcommand("schema", "print the JSON schema of scenario files, or of what is written");
  commands.schema
      ->add_option("--of", raw.what, fmt::format("one of {} (scenario)", fmt::join(schema_subjects(), ", ")))
      ->type_name("WHAT");
  commands.init = app.add_subcommand("init", "write a design and a scenario to begin with");
  commands.init->add_option("WHAT", raw.what, fmt::format("one of {}", fmt::join(init_subjects(), ", ")))
      ->required()
      ->type_name("");
  commands.init->add_option("DIR", raw.folder, "where to (.)")->type_name("");
  commands.print = app.add_subcommand("print", "print the SQL that creates a store's tables");
  commands.print->add_option("WHAT", raw.what, "migrations")->required()->type_name("");
  commands.print->add_option("ENGINE", raw.engine, "postgres or sqlite")->required()->type_name("");
  commands.schedule = declare_schedule(app, raw.client, raw.format);
  commands.event = declare_event(app, raw.client, raw.format);
  commands.leader = declare_leader(app, raw.client, raw.format);
  return commands;
}

unsigned jobs_of(const Raw& raw) {
  return raw.jobs ? parse_jobs(*raw.jobs) : std::max(1U, std::thread::hardware_concurrency());
}

std::vector<sim::Override> sets_of(const Raw& raw) {
  std::vector<sim::Override> sets;
  for (const std::string& set : raw.sets) {
    sets.push_back(parse_override(set));
    if (sets.back().key == "sim.seed" && (raw.seed || raw.seeds))
      throw UsageError(fmt::format("`--{} {}` and `--set {}` both say which seed: give one of them",
                                   raw.seed ? "seed" : "seeds", raw.seed ? *raw.seed : *raw.seeds, set));
  }
  return sets;
}

const std::string& one_file(std::string_view command, const Raw& raw) {
  if (raw.paths.size() != 1) throw UsageError(fmt::format("{} takes one file", command));
  return raw.paths.front();
}

HuntOptions hunt_options(const Raw& raw) {
  HuntOptions options;
  options.paths = raw.paths;
  options.sets = sets_of(raw);
  // With a time and no number of seeds, the time decides.
  options.open_ended = raw.hunt.time && !raw.seeds;
  if (raw.seeds || raw.hunt.time) options.seeds = parse_seeds(raw.seeds.value_or("10000000"));
  options.jobs = jobs_of(raw);
  options.report = read_report(raw.report);
  read_hunt(raw.hunt, options);
  if (options.exhaustive && raw.report.page)
    throw UsageError(
        "--exhaustive makes no runs that a page could draw, so --report means nothing beside it");
  if (options.exhaustive && raw.seeds)
    throw UsageError("--exhaustive draws no seeds, so --seeds means nothing beside it");
  return options;
}

ShrinkOptions shrink_options(const Raw& raw) {
  ShrinkOptions options;
  options.path = one_file("shrink", raw);
  options.sets = sets_of(raw);
  if (raw.seed) options.seed = parse_seed(*raw.seed);
  read_shrink(raw.hunt, options);
  return options;
}

ExplainOptions explain_options(const Raw& raw) {
  return {one_file("explain", raw), sets_of(raw),
          raw.seed ? std::optional(parse_seed(*raw.seed)) : std::nullopt};
}

TuneOptions tune_options(const Raw& raw) {
  TuneOptions options;
  options.path = one_file("tune", raw);
  options.sets = sets_of(raw);
  options.jobs = jobs_of(raw);
  read_tune(raw.tune, options);
  const ReportOptions report = read_report(raw.report);
  options.page = report.page;
  options.window = report.window;
  if (options.explain && !options.page.empty())
    throw UsageError("--explain tries one setting, so --report means nothing beside it");
  return options;
}

AdviseOptions advise_options(const Raw& raw) {
  return {one_file("advise", raw), sets_of(raw),
          raw.seeds ? std::optional(parse_run_count(*raw.seeds)) : std::nullopt, jobs_of(raw)};
}

ReplayOptions replay_options(const Raw& raw) {
  ReplayOptions options;
  options.paths = raw.hunt.kept;
  options.sets = sets_of(raw);
  options.jobs = jobs_of(raw);
  options.report = read_report(raw.report);
  return options;
}

RunCommandOptions run_options(const Raw& raw) {
  RunCommandOptions options;
  options.paths = raw.paths;
  options.sets = sets_of(raw);
  if (raw.seed) options.seed = parse_seed(*raw.seed);
  if (raw.seeds) options.seeds = parse_seeds(*raw.seeds);
  options.jobs = jobs_of(raw);
  options.report = read_report(raw.report);
  if (raw.trace && raw.trace->empty()) throw UsageError("--trace needs the name of a file to write");
  options.trace = raw.trace.value_or("");
  if (raw.trace_level) options.trace_level = parse_trace_level(*raw.trace_level);
  if (raw.trace_level && !raw.trace) throw UsageError("--trace-level is about the file of --trace");
  options.print_plan = raw.print_plan;
  options.twice = raw.twice;
  const std::string_view of_a_run = raw.trace             ? "--trace"
                                    : raw.report.events   ? "--events"
                                    : raw.report.page     ? "--report"
                                    : raw.report.svg      ? "--svg"
                                    : raw.report.perfetto ? "--perfetto"
                                    : raw.twice           ? "--twice"
                                    : raw.report.format   ? "--format"
                                    : raw.report.junit    ? "--junit"
                                    : raw.report.summary  ? "--summary"
                                                          : "";
  if (raw.print_plan && !of_a_run.empty())
    throw UsageError(fmt::format("--print-plan runs nothing, so {} means nothing beside it", of_a_run));
  return options;
}

ListOptions list_options(const Raw& raw) {
  const std::vector<std::string_view> subjects = list_subjects();
  if (raw.what && std::find(subjects.begin(), subjects.end(), *raw.what) == subjects.end())
    throw UsageError(fmt::format("cannot list `{}`: {}", *raw.what, sim::suggestion(*raw.what, subjects)));
  if (raw.folder && raw.what != "scenarios")
    throw UsageError(fmt::format("`list {}` takes no folder: it is for `list scenarios`", *raw.what));
  return {raw.what.value_or(""), raw.folder.value_or("scenarios")};
}

InitOptions init_options(const Raw& raw) {
  const std::vector<std::string_view> subjects = init_subjects();
  if (std::find(subjects.begin(), subjects.end(), *raw.what) == subjects.end())
    throw UsageError(
        fmt::format("unknown template `{}`: {}", *raw.what, sim::suggestion(*raw.what, subjects)));
  return {*raw.what, raw.folder.value_or(".")};
}

// The commands whose results are printed when all is known.
ExitCode dispatch_quick(const Commands& commands, const Raw& raw, Streams& streams) {
  if (*commands.check) return check_command({raw.paths, sets_of(raw)}, streams);
  if (*commands.check_node) {
    std::vector<std::string> command = commands.check_node->remaining();
    command.insert(command.begin(), raw.program);
    return check_node_command(command, streams);
  }
  const Format format = parse_format(raw.format.value_or("text"));
  if (*commands.next) return next_command(next_options(raw.next, format), streams);
  if (*commands.audit)
    return audit_command({raw.journals, format, raw.start_missing, read_page(raw.report)}, streams);
  if (*commands.probe) return probe_command(probe_options(raw.probe, format), streams);
  if (*commands.observe) return observe_command(observe_options(raw.observe, format), streams);
  if (*commands.schedule)
    return schedule_command(schedule_options(*commands.schedule, raw.client, format), streams);
  if (*commands.event) return event_command(event_options(*commands.event, raw.client, format), streams);
  if (*commands.leader) return leader_command(leader_options(raw.client, format), streams);
  if (*commands.schema) return schema_command(raw.what, streams);
  if (*commands.init) return init_command(init_options(raw), streams);
  if (*commands.print) return print_command(raw.what, raw.engine, streams);
  return list_command(list_options(raw), streams);
}

ExitCode dispatch(const Commands& commands, const Raw& raw, Streams& streams) {
  if (*commands.run) return run_command(run_options(raw), streams);
  if (*commands.hunt) {
    const HuntOptions options = hunt_options(raw);
    return options.exhaustive ? exhaustive_command(options, streams) : hunt_command(options, streams);
  }
  if (*commands.explain) return explain_command(explain_options(raw), streams);
  if (*commands.shrink) return shrink_command(shrink_options(raw), streams);
  if (*commands.advise) return advise_command(advise_options(raw), streams);
  if (*commands.tune) return tune_command(tune_options(raw), streams);
  if (*commands.compare)
    return compare_command(read_compare(raw.compare, read_report(raw.report), jobs_of(raw)), streams);
  if (*commands.replay) return replay_command(replay_options(raw), streams);
  std::ostringstream results;
  Streams collected{results, streams.err, streams.paint_out, streams.paint_err, streams.progress, 0};
  const ExitCode code = dispatch_quick(commands, raw, collected);
  write_results(streams, results.str());
  return code;
}

// Of the command, or of its own that was named.
std::string help_of(const CLI::App& command, const std::string& before) {
  const std::vector<CLI::App*> chosen = command.get_subcommands();
  if (chosen.empty()) return command.help(before);
  return chosen.front()->help(before + " " + command.get_name());
}

ExitCode usage_error(std::string_view what, const std::string& hint, Streams& streams) {
  print_error(streams, what);
  if (!hint.empty()) streams.err << "  " << hint << "\n";
  streams.err << "`tenure --help` lists the commands and options\n";
  return ExitCode::usage;
}

// When it is clear what was meant, that is all there is to say.
ExitCode unknown_command(const std::string& name, const std::string& hint, Streams& streams) {
  const std::string what = fmt::format("unknown command `{}`", name);
  if (hint.empty()) return usage_error(what, {}, streams);
  print_error(streams, fmt::format("{}, {}", what, hint));
  return ExitCode::usage;
}

}  // namespace

ExitCode run_app(const std::vector<std::string>& arguments, Streams& streams) {
  CLI::App app(
      "Tenure: is this leader election, with these parameters, and the scheduler on top of it, safe?",
      "tenure");
  Raw raw;
  const Commands commands = declare(app, raw);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    app.parse(std::move(reversed));
    return dispatch(commands, raw, streams);
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    write_results(streams, chosen.empty() ? app.help() : help_of(*chosen.front(), "tenure"));
    return ExitCode::pass;
  } catch (const CLI::CallForAllHelp&) {
    write_results(streams, app.help("", CLI::AppFormatMode::All));
    return ExitCode::pass;
  } catch (const CLI::CallForVersion&) {
    write_results(streams, fmt::format("tenure {}\n", lab::version()));
    return ExitCode::pass;
  } catch (const CLI::ParseError& error) {
    const std::string hint = hint_for(arguments, app);
    const bool known =
        arguments.empty() || arguments.front().starts_with('-') || !app.get_subcommands().empty();
    return known ? usage_error(error.what(), hint, streams)
                 : unknown_command(arguments.front(), hint, streams);
  } catch (const UsageError& error) {
    return usage_error(error.what(), {}, streams);
  }
}

}  // namespace tenure::cli
