#include "cli/replay_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "cli/case_run.h"
#include "cli/load.h"
#include "cli/reports/report_file.h"
#include "cli/waiting.h"

namespace tenure::cli {
namespace {

ReplayedFile replay_one(const sim::ScenarioFile& kept) {
  const sim::Scenario& scenario = kept.scenario;
  ReplayedFile file{.scenario = scenario,
                    .note = kept.plans.regression.value_or(sim::RegressionNote{}),
                    .replayed = {},
                    .story = {},
                    .sets = {}};
  file.replayed = sim::replay(kept, [&](std::uint64_t seed) { return run_seed(scenario, seed); });
  if (file.replayed.failure) {
    const sim::SeedRun told = tell_seed(kept, file.replayed.seed);
    if (told.run) file.story = told.run->story;
  }
  return file;
}

bool is_of(const sim::ScenarioFile& kept, const sim::Scenario& scenario) {
  const std::optional<sim::RegressionNote>& note = kept.plans.regression;
  if (!note) return false;
  const std::string origin = sim::origin_path(*note);
  return (!origin.empty() && is_same_file(origin, scenario.path)) ||
         kept.scenario.name.starts_with(fmt::format("{}-{}-", scenario.name, note->checker));
}

// The threads' own, because they may outlive an interrupted caller's interest.
struct Replays {
  std::vector<sim::ScenarioFile> kept;
  Waiting<ReplayedFile> waiting;
};

}  // namespace

JobsEnd replay_all(std::vector<sim::ScenarioFile> kept, unsigned jobs,
                   const std::function<void(std::size_t, ReplayedFile)>& done) {
  const auto shared = std::make_shared<Replays>();
  shared->kept = std::move(kept);
  return run_jobs(
      shared->kept.size(), jobs,
      [shared](std::size_t job) { shared->waiting.put(job, replay_one(shared->kept[job])); },
      [&](std::size_t job) {
        done(job, shared->waiting.take(job));
        return true;
      });
}

KeptBefore regressions_of(const sim::Scenario& scenario, const std::string& folder, Streams& streams) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return {};
  const std::string paths[] = {folder};
  Loaded loaded = load(paths, {}, "it is not replayed", streams);
  KeptBefore before;
  before.others =
      std::erase_if(loaded.files, [&](const sim::ScenarioFile& kept) { return !is_of(kept, scenario); });
  before.files = std::move(loaded.files);
  return before;
}

ExitCode exit_code_of(const sim::Replayed& replayed) {
  if (replayed.failure) return ExitCode::fail;
  return replayed.state == sim::Replayed::State::stale ? ExitCode::inconclusive : ExitCode::pass;
}

}  // namespace tenure::cli
