#include "cli/replay_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "cli/case_run.h"
#include "cli/load.h"
#include "cli/report_file.h"
#include "cli/waiting.h"

namespace tenure::cli {
namespace {

ReplayedFile replay_one(const sim::Scenario& scenario) {
  ReplayedFile file{.scenario = scenario, .replayed = {}, .story = {}, .sets = {}};
  file.replayed = sim::replay(scenario, [&](std::uint64_t seed) { return run_seed(scenario, seed, false); });
  if (file.replayed.failure) {
    const sim::SeedRun told = run_seed(scenario, file.replayed.seed, true);
    if (told.run) file.story = told.run->story;
  }
  return file;
}

bool is_of(const sim::Scenario& kept, const sim::Scenario& file) {
  if (!kept.regression) return false;
  const std::string origin = sim::origin_path(*kept.regression);
  return (!origin.empty() && is_same_file(origin, file.path)) ||
         kept.name.starts_with(fmt::format("{}-{}-", file.name, kept.regression->checker));
}

// The threads' own, because they may outlive an interrupted caller's interest.
struct Replays {
  std::vector<sim::Scenario> kept;
  Waiting<ReplayedFile> waiting;
};

}  // namespace

JobsEnd replay_all(std::vector<sim::Scenario> kept, unsigned jobs,
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

KeptBefore regressions_of(const sim::Scenario& file, const std::string& folder, Streams& streams) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return {};
  const std::string paths[] = {folder};
  Loaded loaded = load(paths, {}, "it is not replayed", streams);
  KeptBefore before;
  before.others =
      std::erase_if(loaded.scenarios, [&](const sim::Scenario& kept) { return !is_of(kept, file); });
  before.scenarios = std::move(loaded.scenarios);
  return before;
}

ExitCode exit_code_of(const sim::Replayed& replayed) {
  if (replayed.failure) return ExitCode::fail;
  return replayed.state == sim::Replayed::State::stale ? ExitCode::inconclusive : ExitCode::pass;
}

}  // namespace tenure::cli
