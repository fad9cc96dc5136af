// Designs whose statements need a real Postgres, and that are to be compared without one: that nobody ever led would
// say nothing about them.
//
// Thread rule: one thread.
#pragma once

#include <vector>

#include "lab/session/compare_session.h"

namespace tenure::lab {

// Tries each design in a file once, in the situation in which nothing happens.
std::vector<CompareFindings::BadCandidate> which_need_postgres(const CompareTask& task);

}  // namespace tenure::lab
