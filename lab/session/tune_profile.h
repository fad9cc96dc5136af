// [profile]: what the settings worth having, and the file's own setting, cost in a month.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/session/tune_runs.h"
#include "lab/session/tune_task.h"
#include "lab/tune/profile.h"

namespace tenure::lab {

struct ProfileFinding {
  std::size_t setting = 0;
  ProfileMonth month;
  std::vector<std::string> not_measured;  // "deploys: why"
};

// False: it was interrupted. REQUIRES: the task asks for a profile.
bool find_profile(const TuneTask& task, const Tuning& tuning, const std::vector<std::size_t>& settings,
                  TuneRuns& runs, std::vector<ProfileFinding>& findings);

}  // namespace tenure::lab
