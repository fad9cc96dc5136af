// Runs worth a timeline (--report), made again so that what happened in them is recorded.
//
// Thread rule: main thread; it starts others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/reports/report.h"
#include "format/plans/plans.h"

namespace tenure::cli {

struct CaseToDraw {
  format::ScenarioFile file;
  std::uint64_t seed = 0;
  std::string reproduce;  // the command that makes it
};

// Tells of each in the given order. False: it was interrupted.
bool draw_cases(const std::vector<CaseToDraw>& cases, unsigned jobs, Reporter& reporter);

}  // namespace tenure::cli
