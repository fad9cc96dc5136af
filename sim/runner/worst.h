// The worst moment of each metric in words: when it was, who took part, and which fault was behind it.
//
// Metrics that only count have no such moment.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "sim/checkers/metrics/measures.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

std::vector<WorstSample> worst_samples(const Metrics& metrics, const Scenario& scenario,
                                       const std::vector<FaultRun>& faults);

// Of those, what explains that `threshold` failed; nullptr when it asks for more of what is worst at its most.
const WorstSample* worst_of(const Threshold& threshold, const std::vector<WorstSample>& samples);

}  // namespace tenure::sim
