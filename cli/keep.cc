#include "cli/keep.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>

#include "cli/case_run.h"
#include "cli/load.h"
#include "cli/text_format.h"
#include "sim/hunt/shrink.h"
#include "sim/scenario/toml/print.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

// Written beside it and then moved into its place, so that there is never half a file.
bool write_file(const std::string& path, const std::string& text, Streams& streams) {
  const std::string beside = path + ".new";
  std::error_code error;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty())
    fs::create_directories(folder, error);
  errno = 0;
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  if (file) {
    fs::rename(beside, path, error);
    if (!error) return true;
    errno = error.value();
  }
  print_error(streams, fmt::format("cannot write {}: {}", path, system_reason(errno)));
  fs::remove(beside, error);
  return false;
}

// Runs it for what it reaches, and what became of that again, for the story and the trace hash.
void describe(Kept& kept, const sim::Scenario& failing, const KeepSetup& setup) {
  const std::optional<sim::RunResult> reached = run_seed(failing, *failing.seed, false).run;
  kept.scenario = sim::as_regression(failing, kept.failure, reached ? &*reached : nullptr, setup.origin);
  kept.scenario.path = kept.path;
  kept.run = run_seed(kept.scenario, *kept.scenario.seed, true).run;
  if (kept.run) kept.run->reproduce = "tenure run " + shell_quoted(kept.path);
}

}  // namespace

std::string regression_path(const std::string& folder, const sim::Scenario& scenario,
                            const sim::Failure& failure, std::uint64_t seed) {
  return (fs::path(folder) / fmt::format("{}-{}-{}.toml", scenario.name, failure.checker, seed)).string();
}

std::optional<Kept> keep(const sim::Scenario& failing, const sim::Failure& failure, const KeepSetup& setup,
                         Streams& streams) {
  Kept kept;
  kept.path = setup.path;
  kept.failure = failure;
  kept.faults_before = failing.faults.size();
  describe(kept, failing, setup);
  if (!write_file(kept.path, sim::print_scenario(kept.scenario), streams)) return std::nullopt;
  if (!setup.shrink_time) return kept;

  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(setup.shrink_time->ns());
  const sim::Shrunk shrunk =
      sim::shrink(failing, failure, {.try_case = try_case, .zones = system_zones(), .go_on = [end] {
                                       return std::chrono::steady_clock::now() < end;
                                     }});
  kept.shrunk = true;
  kept.finished = shrunk.finished;
  kept.tries = shrunk.tries;
  kept.failure = shrunk.failure;
  sim::Scenario counted = shrunk.scenario;
  counted.expect.sometimes = failing.expect.sometimes;  // what it reaches is seen by asking for everything
  describe(kept, counted, setup);
  if (!write_file(kept.path, sim::print_scenario(kept.scenario), streams)) return std::nullopt;
  return kept;
}

}  // namespace tenure::cli
