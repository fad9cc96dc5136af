#include "lab/session/tune_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tenure::lab {
namespace {

// The parts of a setting's month, and the runs that measure each.
struct MonthRuns {
  std::vector<ProfilePart> parts;
  std::vector<std::vector<RunNumbers>> runs;
};

}  // namespace

bool find_profile(const TuneTask& task, const Tuning& tuning, const std::vector<std::size_t>& settings,
                  TuneRuns& runs, std::vector<ProfileFinding>& findings) {
  std::vector<MonthRuns> months;
  std::vector<TuneJob> jobs;
  std::vector<std::pair<std::size_t, std::size_t>>
      measures;  // of each job: which month, and which of its parts
  const auto seeds = static_cast<std::uint64_t>(task.profile->seeds);
  for (const std::size_t index : settings) {
    months.push_back({profile_parts(task.file, tuning.setting(index).overrides, *task.profile), {}});
    months.back().runs.resize(months.back().parts.size());
    findings.push_back({index, {}, {}});
  }
  std::uint64_t planned = 0;
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (std::size_t k = 0; k < months[i].parts.size(); ++k) {
      const ProfilePart& part = months[i].parts[k];
      if (!part.setting) {
        findings[i].not_measured.push_back(part.cause + ": " + part.why_not);
        continue;
      }
      for (std::uint64_t done = 0; done < seeds; done += kRunsOfJob) {
        jobs.push_back({fmt::format("profile {} {}", settings[i], part.cause), &*part.setting, done + 1,
                        std::min(kRunsOfJob, seeds - done)});
        measures.emplace_back(i, k);
      }
      planned += seeds;
    }
  runs.expect(planned);
  const bool over =
      runs.run(jobs, profile_questions(), [&](std::size_t job, std::vector<RunNumbers> numbers) {
        auto& all = months[measures[job].first].runs[measures[job].second];
        all.insert(all.end(), numbers.begin(), numbers.end());
      });
  if (!over) return false;
  for (std::size_t i = 0; i < settings.size(); ++i)
    findings[i].month = month_of(months[i].parts, months[i].runs);
  return true;
}

}  // namespace tenure::lab
