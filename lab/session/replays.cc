#include "lab/session/replays.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/host_failure.h"
#include "format/syntax/units.h"
#include "lab/session/one_run.h"
#include "lab/session/output_file.h"

namespace tenure::lab {
namespace {

ReplayedFile replay_one(const format::ScenarioFile& kept) {
  const sim::Scenario& scenario = kept.scenario;
  ReplayedFile file{.scenario = scenario,
                    .note = kept.plans.regression.value_or(format::RegressionNote{}),
                    .replayed = {},
                    .story = {},
                    .sets = {}};
  try {
    file.replayed = replay(kept, [&](std::uint64_t seed) { return run_seed(scenario, seed); });
    if (file.replayed.failure) {
      const SeedRun told = tell_seed(kept, file.replayed.seed);
      if (told.run) file.story = told.run->story;
    }
  } catch (const HostFailure& failure) {
    throw HostFailure(scenario.path + ": " + failure.what());  // of many, this one
  }
  return file;
}

bool is_of(const format::ScenarioFile& kept, const sim::Scenario& scenario) {
  const std::optional<format::RegressionNote>& note = kept.plans.regression;
  if (!note) return false;
  const std::string origin = origin_path(*note);
  return (!origin.empty() && is_same_file(origin, scenario.path)) ||
         kept.scenario.name.starts_with(fmt::format("{}-{}-", scenario.name, note->checker));
}

std::optional<ReadScenario> with_longer_tail(const ReadScenario& read, const format::Override& tail,
                                             const ScenarioReader& reader) {
  const std::string paths[] = {read.path};
  ScenarioReader as_it_is = reader;
  as_it_is.sets.clear();
  const ReadScenario before = read_scenarios(paths, as_it_is).front();
  if (!before.file) return std::nullopt;
  ScenarioReader longer = reader;
  longer.sets.push_back(tail);
  ReadScenario after = read_scenarios(paths, longer).front();
  if (after.file)
    after.file->scenario.warnings.push_back(
        fmt::format("a tail of {} is too short for what is set: it is {} here",
                    print_duration(before.file->scenario.tail), tail.value));
  return after;
}

}  // namespace

KeptFiles read_kept(std::span<const std::string> paths, const ScenarioReader& reader) {
  KeptFiles kept{read_scenarios(paths, reader), {}};
  const bool sets_tail = std::any_of(reader.sets.begin(), reader.sets.end(),
                                     [](const format::Override& set) { return set.key == "sim.tail"; });
  if (sets_tail) return kept;
  for (ReadScenario& each : kept.read) {
    if (!each.needs_tail) continue;
    const format::Override tail{"sim.tail", print_duration(*each.needs_tail)};
    std::optional<ReadScenario> longer = with_longer_tail(each, tail, reader);
    if (!longer) continue;
    each = *std::move(longer);
    kept.tails.emplace(each.path, tail);
  }
  return kept;
}

JobsEnd replay_all(std::vector<format::ScenarioFile> kept, unsigned threads,
                   const std::function<void(std::size_t, ReplayedFile)>& done,
                   WhenInterrupted when_interrupted) {
  const auto files = std::make_shared<const std::vector<format::ScenarioFile>>(std::move(kept));
  const auto hand_over = [&done](std::size_t job, ReplayedFile file) {
    done(job, std::move(file));
    return true;
  };
  return make_in_order(
      files->size(), threads, [files](std::size_t job) { return replay_one((*files)[job]); }, hand_over,
      when_interrupted);
}

KeptBefore regressions_of(const sim::Scenario& scenario, std::vector<ReadScenario> read) {
  KeptBefore before;
  for (ReadScenario& each : read) {
    if (!each.file) continue;
    if (is_of(*each.file, scenario))
      before.files.push_back(*std::move(each.file));
    else
      ++before.others;
  }
  return before;
}

std::vector<ReadScenario> read_folder(const std::string& folder, const ScenarioReader& reader) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return {};
  const std::string paths[] = {folder};
  return read_scenarios(paths, reader);
}

}  // namespace tenure::lab
