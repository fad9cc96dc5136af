#include "lab/session/tune_runs.h"

#include <fmt/format.h>

#include <utility>

namespace tenure::lab {

bool TuneRuns::run(const std::vector<SettingRuns>& settings, const TuneQuestions& questions,
                   const Take& take) {
  std::vector<Group> groups;
  for (const SettingRuns& each : settings)
    groups.push_back(
        {.name = each.name,
         .title = each.name,
         .first_seed = each.first_seed,
         .count = each.count,
         .make = [&](std::uint64_t seed) { return measure_run(*each.setting, seed, questions); },
         .broken =
             [&](std::uint64_t seed) {
               RunNumbers run{.seed = seed, .values = {}, .leaderless_by_cause = {}, .broken = {}};
               run.values.resize(questions.metrics.size());
               run.broken.emplace_back(format::kBrokenInvariant);
               return run;
             },
         .answers = [&](const RunNumbers& run) { return run.values.size() == questions.metrics.size(); }});
  return ManyRuns::run(groups, take);
}

std::optional<std::vector<std::vector<RunNumbers>>> TuneRuns::run_all(
    const std::vector<SettingRuns>& settings, const TuneQuestions& questions) {
  std::vector<std::vector<RunNumbers>> all(settings.size());
  if (!run(settings, questions, [&all](std::size_t i, std::vector<RunNumbers> numbers) {
        all[i].insert(all[i].end(), numbers.begin(), numbers.end());
      }))
    return std::nullopt;
  return all;
}

bool search(Tuning& tuning, TuneRuns& runs) {
  for (std::vector<TuneWork> works = tuning.next_round(); !works.empty(); works = tuning.next_round()) {
    std::vector<SettingRuns> settings;
    for (const TuneWork& work : works)
      settings.push_back({fmt::format("setting {}", work.setting), &tuning.setting(work.setting),
                          work.first_seed, work.count});
    if (!runs.run(settings, tuning.questions(),
                  [&](std::size_t i, const auto& numbers) { tuning.take(works[i], numbers); }))
      return false;
  }
  return true;
}

}  // namespace tenure::lab
