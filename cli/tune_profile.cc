#include "cli/tune_profile.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenure::cli {
namespace {

// A part of a setting's month, and the jobs that measure it.
struct Measured {
  std::size_t finding = 0;
  const sim::ProfilePart* part = nullptr;
  std::vector<sim::RunNumbers> runs;
};

}  // namespace

bool find_profile(const TuneTask& task, const sim::Tuning& tuning, const std::vector<std::size_t>& settings,
                  TuneRuns& runs, std::vector<ProfileFinding>& findings) {
  std::vector<std::vector<sim::ProfilePart>> parts;
  for (const std::size_t index : settings)
    parts.push_back(sim::profile_parts(task.file, tuning.setting(index).overrides, *task.profile));
  std::vector<Measured> measured;
  std::vector<TuneJob> jobs;
  std::vector<std::size_t> measured_by;  // each job's place in `measured`
  const auto seeds = static_cast<std::uint64_t>(task.tune.seeds);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    findings.push_back({settings[i], {}, {}});
    for (const sim::ProfilePart& part : parts[i]) {
      if (!part.setting) {
        findings[i].not_measured.push_back(part.cause + ": " + part.why_not);
        continue;
      }
      for (std::uint64_t done = 0; done < seeds; done += kRunsOfJob) {
        jobs.push_back({fmt::format("profile {} {}", settings[i], part.cause), &*part.setting, done + 1,
                        std::min(kRunsOfJob, seeds - done)});
        measured_by.push_back(measured.size());
      }
      measured.push_back({i, &part, {}});
    }
  }
  runs.expect(measured.size() * seeds);
  const bool done =
      runs.run(jobs, sim::profile_questions(), [&](std::size_t job, std::vector<sim::RunNumbers> numbers) {
        auto& all = measured[measured_by[job]].runs;
        all.insert(all.end(), numbers.begin(), numbers.end());
      });
  if (!done) return false;
  // The first part of each setting is what it loses by itself.
  const std::vector<sim::RunNumbers>* quiet = nullptr;
  for (const Measured& each : measured) {
    const bool by_itself = each.part->cause == sim::kByItself;
    findings[each.finding].costs.push_back(
        sim::cost_of(*each.part, each.runs, by_itself ? std::vector<sim::RunNumbers>{} : *quiet));
    if (by_itself) quiet = &each.runs;
  }
  return true;
}

}  // namespace tenure::cli
