// `tenure explain`: one violation, and all that led to it.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "sim/runner/recording.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::cli {

// Of the first that is demanded; else the first of all (svg/highlights.h). REQUIRES: there is one.
std::string text_of_explanation(const sim::Recording& recording, const sim::RunResult& result,
                                const sim::Scenario& scenario, bool paint);

}  // namespace tenure::cli
