#include "cli/keep.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "cli/case_run.h"
#include "cli/jobs.h"
#include "cli/load.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/text_format.h"
#include "format/print/print.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

bool holds(const std::string& path, const std::string& text) {
  std::ostringstream there;
  there << std::ifstream(path, std::ios::binary).rdbuf();
  return there.str() == text;
}

// The first name that nobody has, or whose file says just this, or is our own of before.
std::string free_path(const Kept& kept, const std::string& text, const std::string& folder) {
  const fs::path base = fs::path(folder) / kept.file.scenario.name;
  std::string path = base.string() + ".toml";
  for (int n = 2;; ++n) {
    std::error_code error;
    const bool taken = fs::exists(fs::symlink_status(path, error));
    if (!taken || (kept.made && path == kept.path) || holds(path, text)) return path;
    path = fmt::format("{}-{}.toml", base.string(), n);
  }
}

// A literal case, and its run.
struct Tried {
  sim::Scenario scenario;
  sim::SeedRun outcome;
};

// Without the faults that did not strike, if it fails all the same.
Tried without_idle_faults(const sim::Scenario& failing, const sim::Failure& failure) {
  Tried whole{failing, run_seed(failing, *failing.seed)};
  if (!whole.outcome.run) return whole;
  Tried lean{sim::without_idle_faults(failing, *whole.outcome.run), {}};
  if (lean.scenario.faults.size() == failing.faults.size()) return whole;
  lean.outcome = run_seed(lean.scenario, *failing.seed);
  return sim::find_same(lean.outcome.failures, failure) != nullptr ? lean : whole;
}

// As a regression, with the run of what its file says, for the story.
void fill_in(Kept& kept, const sim::Scenario& failing, const KeepSetup& setup) {
  const Tried tried = without_idle_faults(failing, kept.failure);
  const sim::RunResult* reached = tried.outcome.run ? &*tried.outcome.run : nullptr;
  kept.file = sim::as_regression(tried.scenario, kept.failure, reached, setup.origin);
  const std::optional<sim::ScenarioFile> read = sim::as_its_file_says(kept.file, system_zones());
  sim::SeedRun again;
  if (read) again = tell_seed(*read, *read->scenario.seed);
  const bool same_trace = reached == nullptr || (again.run && again.run->trace_hash == reached->trace_hash);
  kept.reproducible = same_trace && sim::find_same(again.failures, kept.failure) != nullptr;
  kept.run = std::move(again.run);
}

void write_down(Kept& kept, const KeepSetup& setup, Streams& streams) {
  const std::string text = sim::print_scenario(kept.file);
  const std::string path = setup.file.empty() ? free_path(kept, text, setup.folder) : setup.file;
  const bool ours = kept.made && kept.path == path;
  const std::string replaced = kept.made && !ours ? kept.path : "";
  std::error_code error;
  kept.made = ours || !fs::exists(fs::symlink_status(path, error));
  kept.path = path;
  kept.file.scenario.path = kept.path;
  if (kept.run) kept.run->reproduce = "tenure run " + shell_quoted(kept.path);
  kept.written = write_file(kept.path, text, streams);
  if (kept.written && !replaced.empty()) fs::remove(replaced, error);
}

}  // namespace

Kept keep(const sim::Scenario& failing, const sim::Failure& failure, const KeepSetup& setup,
          Streams& streams) {
  Kept kept;
  kept.failure = failure;
  kept.found = failing;
  fill_in(kept, failing, setup);
  write_down(kept, setup, streams);
  return kept;
}

void shrink_kept(Kept& kept, const KeepSetup& setup, Duration time, Streams& streams) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(time.ns());
  sim::Shrunk shrunk = sim::shrink(kept.found, kept.failure,
                                   {.try_case = try_case, .zones = system_zones(), .go_on = [end] {
                                      return std::chrono::steady_clock::now() < end && !Interruption::came();
                                    }});
  Kept smaller = kept;
  smaller.shrunk = shrunk.end;
  smaller.tries = shrunk.tries;
  smaller.failure = shrunk.failure;
  shrunk.scenario.expect.sometimes =
      kept.found.expect.sometimes;  // what it reaches is seen by asking for all
  fill_in(smaller, shrunk.scenario, setup);
  if (!smaller.reproducible) {
    // What was found is worth more than what was made of it and cannot be repeated.
    kept.reproducible = false;
    return;
  }
  kept = std::move(smaller);
  write_down(kept, setup, streams);
}

ExitCode end_keeping(const Kept& kept, Streams& streams) {
  if (!kept.reproducible)
    print_error(streams,
                fmt::format("{} does not give the run that failed. This is a bug of tenure: please report "
                            "it, with the file and the command",
                            kept.path));
  if (!kept.written) {
    clear_progress(streams);
    streams.err << fmt::format("what {} was to hold:\n\n{}\n", kept.path, sim::print_scenario(kept.file));
    return ExitCode::io_error;
  }
  return kept.reproducible ? ExitCode::pass : ExitCode::internal_error;
}

}  // namespace tenure::cli
