// What a run found, in one sentence for somebody who has never seen a lease.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::cli {

std::string verdict_sentence(const sim::RunResult& result, const sim::Expectation& expect);

}  // namespace tenure::cli
