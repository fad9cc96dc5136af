// [profile]: what the settings worth having, and the file's own, cost in a month.
//
// Thread rule: main thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/tune_runs.h"
#include "cli/tune_task.h"
#include "lab/tune/profile.h"

namespace tenure::cli {

struct ProfileFinding {
  std::size_t setting = 0;
  sim::ProfileMonth month;
  std::vector<std::string> not_measured;  // "deploys: why"
};

void find_profile(const TuneTask& task, const sim::Tuning& tuning, const std::vector<std::size_t>& settings,
                  TuneRuns& runs, std::vector<ProfileFinding>& findings);

}  // namespace tenure::cli
