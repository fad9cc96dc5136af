#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/reports/svg/highlights.h"
#include "cli/reports/text/explain_text.h"
#include "cli/reports/text/text_format.h"
#include "lab/hunt/throwing_checks.h"
#include "lab/session/one_run.h"

namespace tenure::cli {
namespace {

std::string command_of(const ExplainOptions& options, std::uint64_t seed) {
  return fmt::format("tenure run {}{} --seed {}", shell_quoted(options.path), shell_sets(options.sets, false),
                     seed);
}

}  // namespace

ExitCode explain_command(const ExplainOptions& options, Streams& streams) {
  const std::string paths[] = {options.path};
  const Loaded loaded = load(paths, options.sets, "nothing was run", streams);
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (loaded.files.size() != 1) {
    print_error(streams, fmt::format("explain takes one file, and {} holds {}", options.path,
                                     counted(loaded.files.size(), "scenario")));
    return ExitCode::usage;
  }
  const format::ScenarioFile& file = loaded.files.front();
  const std::optional<std::uint64_t> seed = options.seed ? options.seed : file.scenario.seed;
  if (!seed) {
    print_error(streams, fmt::format("{} has no seed; say which run is meant, with --seed", options.path));
    return ExitCode::usage;
  }
  const lab::ThrowingChecks checks;
  lab::RunOutcome outcome = lab::run_one({.file = &file, .seed = *seed, .record = true});
  const std::string reproduce = command_of(options, *seed);
  if (!outcome.result) {
    print_error(streams, fmt::format("{}{}", outcome.host_failed ? "" : "internal error: ", outcome.error));
    streams.err << "  reproduce   " << reproduce << "\n";
    return ExitCode::internal_error;
  }
  outcome.result->reproduce = reproduce;
  if (first_mark(*outcome.recording) == nullptr)
    write_results(
        streams, fmt::format("no checker found a violation with seed {}; `{} --events` lists what happened\n",
                             *seed, reproduce));
  else
    write_results(streams,
                  text_of_explanation(*outcome.recording, *outcome.result, file.scenario, streams.paint_out));
  return exit_code_of(outcome.result->verdict);
}

}  // namespace tenure::cli
