#include "cli/keep.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "cli/case_run.h"
#include "cli/jobs.h"
#include "cli/load.h"
#include "cli/report_file.h"
#include "cli/text_format.h"
#include "sim/hunt/shrink.h"
#include "sim/scenario/toml/print.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

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
                                       return std::chrono::steady_clock::now() < end && !Interruption::came();
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
