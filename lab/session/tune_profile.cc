#include "lab/session/tune_profile.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

namespace tenure::lab {

bool find_profile(const TuneTask& task, const Tuning& tuning, const std::vector<std::size_t>& settings,
                  TuneRuns& runs, std::vector<ProfileFinding>& findings) {
  std::vector<std::vector<ProfilePart>> months;
  std::vector<SettingRuns> groups;  // of each part, month after month; what cannot be measured has no runs
  const auto seeds = static_cast<std::uint64_t>(task.profile->seeds);
  for (const std::size_t index : settings) {
    findings.push_back({index, {}, {}});
    months.push_back(profile_parts(task.file, tuning.setting(index).overrides, *task.profile));
    for (const ProfilePart& part : months.back()) {
      if (!part.setting) findings.back().not_measured.push_back(part.cause + ": " + part.why_not);
      groups.push_back({fmt::format("profile {} {}", index, part.cause),
                        part.setting ? &*part.setting : nullptr, 1, part.setting ? seeds : 0});
    }
  }
  auto all = runs.run_all(groups, profile_questions());
  if (!all) return false;
  auto next = std::make_move_iterator(all->begin());
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(months[i].size());
    findings[i].month = month_of(months[i], {next, end});
    next = end;
  }
  return true;
}

}  // namespace tenure::lab
