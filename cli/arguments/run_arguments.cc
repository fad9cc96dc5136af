// The arguments of `tenure run`, `merge`, `hunt`, `shrink`, `explain` and `replay`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/arguments/arguments.h"
#include "cli/arguments/command.h"
#include "cli/commands/campaign.h"
#include "cli/commands/commands.h"
#include "cli/commands/watch.h"

namespace tenure::cli {
namespace {

void take_seed(Command& command, const std::string& doc, std::optional<std::uint64_t>& seed) {
  command.option("--seed", "N", doc, [&seed](const std::string& text) { seed = parse_seed(text); });
}

void take_shrink_time(Command& command, const std::string& flag, const std::string& doc, Duration& time) {
  command.option(flag, "TIME", doc,
                 [flag, &time](const std::string& text) { time = parse_time(flag, text); });
}

template <class Options>
void take_campaign(Command& command, Options& options) {
  command.named("--campaign", "DIR",
                "save what is found in this folder, for `tenure merge`; go on where it ends",
                options.campaign, "the name of a folder");
  command.option("--shard", "I/N", "make the I-th of N equal parts of the seeds; auto: as the array job says",
                 [&options](const std::string& text) { options.shard = read_shard(text); });
}

// What goes to `tenure merge`.
template <class Options>
void check_campaign(const Command& command, const Options& options) {
  if (options.shard && options.campaign.empty())
    throw UsageError("--shard makes a part of a campaign: --campaign DIR says where it is saved");
  if (options.campaign.empty()) return;
  if (!command.given("--seeds")) throw UsageError("--campaign is about many seeds: give --seeds A..B");
  const std::string_view of_a_report = command.first_given({"--report", "--format", "--junit", "--summary"});
  if (!of_a_report.empty())
    throw UsageError(
        fmt::format("--campaign saves runs and reports nothing: give {} to `tenure merge`", of_a_report));
}

void declare_run(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "run", "simulate scenarios and judge them");
  const auto options = std::make_shared<RunCommandOptions>();
  ReportOptions& report = options->report;
  command.takes_files(options->paths, options->sets);
  take_seed(command, "run this seed (the file's, or a drawn one)", options->seed);
  command
      .option("--seeds", "A..B", "run every seed from A to B, or from 1 to N, and print a summary",
              [options](const std::string& text) { options->seeds = parse_seeds(text); })
      ->excludes(command.app().get_option("--seed"));
  command.takes_jobs(options->jobs);
  command.takes_report(report);
  command.takes_baseline(report.baseline);
  command.named("--trace", "FILE", "write every event of one run to FILE, as JSON lines", options->trace,
                "the name of a file to write");
  command.offers(
      command.option("--trace-level", "LEVEL", "story: what a reader needs to draw the run; full: all (full)",
                     [options, &command](const std::string& text) {
                       options->trace_level = parse_trace_level(text);
                       if (!command.given("--trace"))
                         throw UsageError("--trace-level is about the file of --trace");
                     }),
      {"story", "full"});
  command.takes_page(report.page, report.window);
  const auto events = std::make_shared<std::optional<std::string>>();
  command.app().add_flag("--events{matters}", *events,
                         "list what happened; --events=all: every event, routine ones too");
  command.takes_report_file("--svg", "draw one run to FILE as SVG; of --report-window, if given", report.svg);
  command.takes_report_file("--perfetto", "write one run to FILE for ui.perfetto.dev", report.perfetto);
  command.flag("--print-plan", "print the scenario with its faults drawn, without running it",
               options->print_plan);
  command.flag("--twice", "run each twice, and compare", options->twice);
  take_campaign(command, *options);
  command.flag("--watch", "run again whenever the scenario or a design beside it is saved", options->watch);
  command.check([options, events, &command] {
    if (*events) options->report.events = parse_event_list(**events);
    if (*events && options->report.format != Format::text)
      throw UsageError("--events is a list for people: it goes with --format text");
    const std::string_view of_a_run =
        command.first_given({"--trace", "--events", "--report", "--svg", "--perfetto", "--twice", "--format",
                             "--junit", "--summary"});
    if (!options->report.baseline.empty() && !options->seeds)
      throw UsageError("--baseline compares what many runs say: it goes with --seeds");
    if (options->print_plan && !of_a_run.empty())
      throw UsageError(fmt::format("--print-plan runs nothing, so {} means nothing beside it", of_a_run));
    check_campaign(command, *options);
    const std::string_view of_one =
        command.first_given({"--trace", "--events", "--svg", "--perfetto", "--print-plan", "--watch"});
    if (!options->campaign.empty() && !of_one.empty())
      throw UsageError(fmt::format("--campaign saves many runs, so {} means nothing beside it", of_one));
  });
  command.does([options](Streams& streams) {
    if (options->watch)
      run_on_changes(
          options->paths, [&] { return run_command(*options, streams); }, streams);
    return run_command(*options, streams);
  });
}

void declare_merge(CLI::App& app, Commands& commands) {
  Command& command =
      commands.emplace_back(app, "merge", "report on the parts of a campaign (run or hunt with --campaign)");
  const auto options = std::make_shared<MergeOptions>();
  command.texts("DIR", "", "folders with parts of one campaign", options->folders);
  command.takes_jobs(options->jobs);
  command.takes_report(options->report);
  command.takes_page(options->report.page, options->report.window);
  command.check([options] {
    if (options->folders.empty()) throw UsageError("merge: name the folder of the campaign");
  });
  command.does([options](Streams& streams) { return merge_command(*options, streams); });
}

void check_hunt(const Command& command, HuntOptions& options) {
  // With a time and no number of seeds, the time decides.
  const bool seeds = command.given("--seeds");
  options.open_ended = options.time && !seeds;
  if (options.open_ended) options.seeds = parse_seeds("10000000");
  check_campaign(command, options);
  const std::string_view of_a_hunt =
      command.first_given({"--for", "--no-replay", "--no-shrink", "--shrink-for", "--out", "--exhaustive"});
  if (!options.campaign.empty() && !of_a_hunt.empty())
    throw UsageError(fmt::format(
        "a campaign goes on after failures, and replays and shrinks nothing, so {} means nothing beside it",
        of_a_hunt));
  if (command.given("--no-shrink") && command.given("--shrink-for"))
    throw UsageError("--shrink-for means nothing beside --no-shrink");
  if (options.resume && options.save.empty())
    throw UsageError("--resume needs the file that was written with --save");
  if (!options.exhaustive) return;
  const std::string_view of_seeds =
      command.first_given({"--for", "--keep-going", "--unguided", "--check-determinism", "--no-replay",
                           "--no-shrink", "--shrink-for", "--out", "--save", "--baseline"});
  if (!of_seeds.empty())
    throw UsageError(fmt::format("--exhaustive draws no seeds, so {} means nothing beside it", of_seeds));
  if (command.given("--report"))
    throw UsageError(
        "--exhaustive makes no runs that a page could draw, so --report means nothing beside it");
  if (seeds) throw UsageError("--exhaustive draws no seeds, so --seeds means nothing beside it");
}

void declare_hunt(CLI::App& app, Commands& commands) {
  Command& command =
      commands.emplace_back(app, "hunt", "search for seeds that fail, and shrink the failures");
  const auto options = std::make_shared<HuntOptions>();
  command.takes_files(options->paths, options->sets);
  command.option("--seeds", "N or A..B", "hunt N seeds from 1, or the seeds from A to B (1000)",
                 [options](const std::string& text) { options->seeds = parse_seeds(text); });
  command.takes_jobs(options->jobs);
  command.takes_report(options->report);
  command.takes_baseline(options->report.baseline);
  command.takes_page(options->report.page, options->report.window);
  command.option("--for", "TIME", "hunt each file for this long, like 5m, or until the seeds are done",
                 [options](const std::string& text) { options->time = parse_time("--for", text); });
  command.flag("--exhaustive",
               "explore every order of events within the bounds of [exhaustive], instead of seeds",
               options->exhaustive);
  command.flag("--keep-going", "do not stop at the first violation", options->keep_going);
  command.flag_off("--unguided", "draw every case anew instead of learning from earlier ones",
                   options->guided);
  command.flag("--check-determinism", "run every case twice, not one in 64", options->check_determinism);
  command.flag_off("--no-replay", "skip the replay of saved failures", options->replay);
  command.flag_off("--no-shrink", "keep failures as they are found", options->shrink);
  take_shrink_time(command, "--shrink-for", "shrink each failure for at most TIME (30s)",
                   options->shrink_time);
  command.named("--out", "DIR", "save failures in DIR (regressions)", options->folder,
                "the name of a folder");
  command.named("--save", "FILE", "save cases to FILE as they come, for --resume", options->save,
                "the name of a file to write");
  command.flag("--resume", "continue from the cases in --save", options->resume);
  take_campaign(command, *options);
  command.check([options, &command] { check_hunt(command, *options); });
  command.does([options](Streams& streams) {
    return options->exhaustive ? exhaustive_command(*options, streams) : hunt_command(*options, streams);
  });
}

void declare_shrink(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "shrink", "shrink a failing scenario");
  const auto options = std::make_shared<ShrinkOptions>();
  command.takes_one_file(options->path, options->sets);
  take_seed(command, "shrink the failure of this seed (the file's)", options->seed);
  take_shrink_time(command, "--for", "shrink for at most TIME (30s)", options->time);
  command.named("--out", "FILE", "write the result to FILE (a new one in regressions)", options->out,
                "the name of a file to write");
  command.does([options](Streams& streams) { return shrink_command(*options, streams); });
}

void declare_explain(CLI::App& app, Commands& commands) {
  Command& command =
      commands.emplace_back(app, "explain", "explain the cause of the first violation of a run");
  const auto options = std::make_shared<ExplainOptions>();
  command.takes_one_file(options->path, options->sets);
  take_seed(command, "explain the run of this seed (the file's)", options->seed);
  command.does([options](Streams& streams) { return explain_command(*options, streams); });
}

void declare_replay(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "replay", "run saved failures again");
  const auto options = std::make_shared<ReplayOptions>();
  command.texts("FILE", "", "regressions, or folders of them (regressions)", options->paths);
  command.takes_sets(options->sets);
  command.takes_jobs(options->jobs);
  command.takes_report(options->report);
  command.takes_page(options->report.page, options->report.window);
  command.does([options](Streams& streams) { return replay_command(*options, streams); });
}

}  // namespace

void declare_runs(CLI::App& app, Commands& commands) {
  declare_run(app, commands);
  declare_merge(app, commands);
  declare_hunt(app, commands);
  declare_shrink(app, commands);
  declare_explain(app, commands);
  declare_replay(app, commands);
}

}  // namespace tenure::cli
