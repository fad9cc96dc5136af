// The arguments of `tenure tune`, `advise` and `compare`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/arguments/arguments.h"
#include "cli/arguments/command.h"
#include "cli/commands/campaign.h"
#include "cli/commands/commands.h"
#include "core/lease/elector_kind.h"
#include "sim/protocols/registry.h"

namespace tenure::cli {
namespace {

constexpr Named<TuneFormat> kTuneFormats[] = {{"text", TuneFormat::text},
                                              {"json", TuneFormat::json},
                                              {"csv", TuneFormat::csv},
                                              {"markdown", TuneFormat::markdown}};
constexpr Named<CompareFormat> kCompareFormats[] = {
    {"text", CompareFormat::text}, {"json", CompareFormat::json}, {"markdown", CompareFormat::markdown}};

void refuse_time_without_shrinking(const Command& command) {
  if (command.given("--no-shrink") && command.given("--shrink-for"))
    throw UsageError("--shrink-for means nothing beside --no-shrink");
}

// What is written there is kept; how it is made small.
template <class Options>
void take_shrinking(Command& command, Options& options, const char* what, const char* whole) {
  command.flag_off("--no-shrink", whole, options.shrink);
  command.option(
      "--shrink-for", "TIME", fmt::format("how long to shrink each{} (10s)", what),
      [&options](const std::string& text) { options.shrink_time = parse_time("--shrink-for", text); });
}

template <class Options>
void take_shard(Command& command, Options& options) {
  command.option(
      "--shard", "I/N",
      "make the I-th of N parts of the runs, beside the others, which share --save; auto: as the array "
      "job says",
      [&options](const std::string& text) { options.shard = read_shard(text); });
}

// A part makes runs for the report of all.
template <class Options>
void check_shard(const Command& command, const Options& options) {
  if (!options.shard) return;
  if (!command.given("--save"))
    throw UsageError("--shard needs --save FILE, which names what the parts share");
  const std::string_view of_a_report =
      command.first_given({"--report", "--format", "--plot", "--baseline", "--out", "--no-shrink",
                           "--shrink-for", "--explain", "--no-save", "--resume"});
  if (!of_a_report.empty())
    throw UsageError(fmt::format(
        "a part reports nothing: give {} to the command without --shard, with --resume", of_a_report));
}

void check_tune(const Command& command, const TuneOptions& options) {
  if (!options.plot.empty() && options.plot == options.save)
    throw UsageError(
        fmt::format("--plot and --save are both {}: one would overwrite the other", options.plot));
  const std::string_view of_saving = command.first_given({"--save", "--resume"});
  if (!options.keep && !of_saving.empty())
    throw UsageError(fmt::format("--no-save keeps no runs, so {} means nothing beside it", of_saving));
  check_shard(command, options);
  refuse_time_without_shrinking(command);
  if (!options.explain) return;
  const std::string_view of_a_search = command.first_given({"--plot", "--save", "--resume", "--report"});
  if (!of_a_search.empty())
    throw UsageError(fmt::format("--explain tries one setting, so {} means nothing beside it", of_a_search));
  if (options.format != TuneFormat::text)
    throw UsageError("--explain is text: --format means nothing beside it");
}

void declare_tune(CLI::App& app, Commands& commands) {
  Command& command =
      commands.emplace_back(app, "tune", "measure what settings cost, and where they stop being safe");
  const auto options = std::make_shared<TuneOptions>();
  command.takes_one_file(options->path, options->sets);
  command.takes_jobs(options->jobs);
  command.option("--seeds", "N", "run each setting N times, instead of as often as the file says",
                 [options](const std::string& text) { options->seeds = parse_run_count(text); });
  command.offers(command.option("--format", "FORMAT", "text, json, csv or markdown (text)",
                                [options](const std::string& text) {
                                  options->format = find_format(text, kTuneFormats);
                                }),
                 {"text", "json", "csv", "markdown"});
  command.named("--plot", "FILE", "draw the results to FILE, as SVG", options->plot,
                "the name of a file to write");
  command.flag("--explain", "explain the file's own setting by theory, and confirm it by simulation",
               options->explain);
  command.named("--save", "FILE", "save runs to FILE as they come (NAME.tune)", options->save,
                "the name of a file to write");
  command.flag_off("--no-save", "save no runs", options->keep);
  command.flag("--resume", "continue from the saved runs", options->resume);
  take_shard(command, *options);
  command.named("--out", "DIR", "save counterexamples of [tune.frontier] in DIR (counterexamples)",
                options->folder, "the name of a folder");
  take_shrinking(command, *options, " counterexample", "keep counterexamples as they are found");
  command.takes_page(options->page, options->window);
  command.takes_baseline(options->baseline);
  command.check([options, &command] { check_tune(command, *options); });
  command.does([options](Streams& streams) { return tune_command(*options, streams); });
}

void declare_advise(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "advise", "judge a file's settings, and name better ones");
  const auto options = std::make_shared<AdviseOptions>();
  command.takes_one_file(options->path, options->sets);
  command.option("--seeds", "N", "run N times for each answer (40)",
                 [options](const std::string& text) { options->seeds = parse_run_count(text); });
  command.takes_jobs(options->jobs);
  command.does([options](Streams& streams) { return advise_command(*options, streams); });
}

void check_compare(const Command& command, CompareOptions& options) {
  std::vector<std::string>& designs = options.designs;
  options.every_protocol = designs.empty();
  if (options.every_protocol)
    for (const ElectorKind& kind : elector_kinds()) designs.emplace_back(kind.name);
  for (auto it = designs.begin(); it != designs.end(); ++it)
    if (std::find(designs.begin(), it, *it) != it) throw UsageError(fmt::format("`{}` is there twice", *it));
  const std::string_view of_shrinking = command.first_given({"--no-shrink", "--shrink-for"});
  if (options.folder.empty() && !of_shrinking.empty())
    throw UsageError(fmt::format("without --out nothing is kept, so {} means nothing", of_shrinking));
  refuse_time_without_shrinking(command);
  check_shard(command, options);
  if (options.resume && options.save.empty())
    throw UsageError("--resume needs the file that was written with --save");
}

void declare_compare(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "compare", "compare designs in the same situations");
  const auto options = std::make_shared<CompareOptions>();
  std::vector<std::string_view> elections;
  for (const ElectorKind& kind : elector_kinds()) elections.push_back(kind.name);
  const CLI::Option* designs =
      command.texts("DESIGN", "",
                    "like fenced-lease, client-go:60/40/5, my-lease.lua:lock_duration=10s or "
                    "fenced-lease+fenced-outbox; every protocol when left out",
                    options->designs);
  command.offers(designs, std::move(elections));
  const CLI::Option* against = command.texts(
      "--against", "FILE", "use these scenario files, or folders of them, instead of the built-in situations",
      options->against);
  command.offers(against, {kScenarioFiles});
  command.named(
      "--equal", "PRICE",
      "bring each design to one price first: failover_p99=20s, or requests=2000 (of the store, in an hour)",
      options->equal, "a price, like failover_p99=20s");
  command.option("--seeds", "N", "run each design N times in each situation (200)",
                 [options](const std::string& text) { options->seeds = parse_run_count(text); });
  command.offers(command.option("--format", "FORMAT", "text, markdown or json (text)",
                                [options](const std::string& text) {
                                  options->format = find_format(text, kCompareFormats);
                                }),
                 {"text", "markdown", "json"});
  command.named("--out", "DIR", "save the worst run of each cell in DIR, shrunk", options->folder,
                "the name of a folder");
  take_shrinking(command, *options, "", "keep them as they are found");
  command.named("--save", "FILE", "save runs to FILE as they come, for --resume", options->save,
                "the name of a file");
  command.flag("--resume", "continue from the runs in --save", options->resume);
  take_shard(command, *options);
  command.takes_page(options->page, options->window);
  command.takes_baseline(options->baseline);
  command.takes_jobs(options->jobs);
  command.check([options, &command] { check_compare(command, *options); });
  command.does([options](Streams& streams) { return compare_command(*options, streams); });
}

}  // namespace

void declare_settings(CLI::App& app, Commands& commands) {
  declare_tune(app, commands);
  declare_advise(app, commands);
  declare_compare(app, commands);
}

}  // namespace tenure::cli
