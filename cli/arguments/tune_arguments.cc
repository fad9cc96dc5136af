#include "cli/arguments/tune_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/arguments/arguments.h"
#include "format/syntax/suggest.h"

namespace tenure::cli {
namespace {

struct NamedTuneFormat {
  std::string_view name;
  TuneFormat format;
};
constexpr NamedTuneFormat kTuneFormats[] = {{"text", TuneFormat::text},
                                            {"json", TuneFormat::json},
                                            {"csv", TuneFormat::csv},
                                            {"markdown", TuneFormat::markdown}};

TuneFormat tune_format_of(const std::string& name) {
  std::vector<std::string_view> names;
  for (const NamedTuneFormat& each : kTuneFormats) {
    if (each.name == name) return each.format;
    names.push_back(each.name);
  }
  throw UsageError(fmt::format("unknown format `{}`: {}", name, sim::suggestion(name, names)));
}

}  // namespace

void declare_tune(CLI::App& command, RawTune& raw) {
  command.add_option("--seeds", raw.seeds, "how many runs of each setting, in place of the file's")
      ->type_name("N");
  command.add_option("--format", raw.format, "text, json, csv or markdown (text)")->type_name("FORMAT");
  command.add_option("--plot", raw.plot, "write a picture of the results there, as SVG")->type_name("FILE");
  command.add_flag("--explain", raw.explain,
                   "what theory says of the file's own setting, and what of it simulation confirms");
  command.add_option("--save", raw.save, "where runs are kept as they come (NAME.tune)")->type_name("FILE");
  command.add_flag("--no-save", raw.no_save, "keep none");
  command.add_flag("--resume", raw.resume, "go on with the runs that were kept");
  command
      .add_option("--out", raw.folder, "the folder for counterexamples of [tune.frontier] (counterexamples)")
      ->type_name("DIR");
  command.add_flag("--no-shrink", raw.no_shrink, "keep counterexamples as they are found");
  command.add_option("--shrink-for", raw.shrink_time, "how long to shrink each counterexample (10s)")
      ->type_name("TIME");
}

void read_tune(const RawTune& raw, TuneOptions& options) {
  if (raw.seeds) options.seeds = parse_run_count(*raw.seeds);
  if (raw.format) options.format = tune_format_of(*raw.format);
  if (raw.plot && raw.plot->empty()) throw UsageError("--plot needs the name of a file to write");
  if (raw.save && raw.save->empty()) throw UsageError("--save needs the name of a file to write");
  if (raw.folder && raw.folder->empty()) throw UsageError("--out needs the name of a folder");
  if (raw.plot && raw.plot == raw.save)
    throw UsageError(fmt::format("--plot and --save are both {}: one would overwrite the other", *raw.plot));
  if (raw.no_save && (raw.save || raw.resume))
    throw UsageError(fmt::format("--no-save keeps no runs, so {} means nothing beside it",
                                 raw.save ? "--save" : "--resume"));
  if (raw.no_shrink && raw.shrink_time) throw UsageError("--shrink-for means nothing beside --no-shrink");
  const std::string_view of_a_search = raw.plot     ? "--plot"
                                       : raw.save   ? "--save"
                                       : raw.resume ? "--resume"
                                                    : "";
  if (raw.explain && !of_a_search.empty())
    throw UsageError(fmt::format("--explain tries one setting, so {} means nothing beside it", of_a_search));
  if (raw.explain && options.format != TuneFormat::text)
    throw UsageError("--explain is text: --format means nothing beside it");
  options.plot = raw.plot.value_or("");
  options.save = raw.save.value_or("");
  options.keep = !raw.no_save;
  options.resume = raw.resume;
  options.explain = raw.explain;
  options.shrink = !raw.no_shrink;
  if (raw.shrink_time) options.shrink_time = parse_time("--shrink-for", *raw.shrink_time);
  options.folder = raw.folder.value_or(options.folder);
}

}  // namespace tenure::cli
