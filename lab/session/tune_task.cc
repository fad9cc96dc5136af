#include "lab/session/tune_task.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/hash.h"
#include "format/parse/parse.h"
#include "lab/session/saved_runs.h"
#include "lab/session/version.h"

namespace tenure::lab {

void TuneTask::set_seeds(std::uint64_t seeds) {
  tune.seeds = static_cast<std::int64_t>(seeds);
  if (tune.frontier) tune.frontier->seeds = tune.seeds;
  if (profile) profile->seeds = tune.seeds;
}

TuneTask tune_task(const format::ScenarioFile& file, std::string text, const ScenarioReader& reader) {
  TuneTask task;
  task.file.path = file.scenario.path;
  task.file.text = std::move(text);
  task.file.sets = reader.sets;
  task.file.zones = reader.zones;
  task.file.engines = reader.engines;
  task.file.data_files = reader.data_files;
  task.file.designs = reader.designs;
  task.file.own_protocol = reader.own_protocol;
  task.name = file.scenario.name;
  task.identity = identity_of(file.scenario);
  task.has_tune = file.plans.tune.has_value();
  if (file.plans.tune) task.tune = *file.plans.tune;
  task.profile = file.plans.profile;
  return task;
}

std::string fingerprint_of(const TuneTask& task) {
  Hasher hasher;
  hasher.add(program()).add(task.file.text).add(task.identity);
  for (const format::Override& set : task.file.sets) hasher.add(set.key).add(set.value);
  return fmt::format("{:016x}", hasher.value());
}

std::vector<format::Diagnostic> diagnostics_of(const TuneTask& task,
                                               const std::vector<TuneProblem>& problems) {
  std::vector<format::Diagnostic> all;
  for (const TuneProblem& problem : problems) {
    const format::FilePlace& place = problem.place;
    format::Diagnostics diagnostics(task.file.path, task.file.text, task.file.sets);
    diagnostics.add({place.line, place.column, place.length, place.override_index}, problem.what,
                    problem.hint);
    for (format::Diagnostic& each : diagnostics.take()) all.push_back(std::move(each));
  }
  return all;
}

std::string place_in_words(const TuneTask& task, const format::FilePlace& place) {
  return place.override_index >= 0 ? "--set" : fmt::format("{}:{}", task.file.path, place.line);
}

}  // namespace tenure::lab
