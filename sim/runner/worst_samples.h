// The worst moment of each metric in words: when it was, which nodes took part, and which fault caused it.
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

// The sample that explains why `threshold` failed; nullptr when the threshold demands more of a metric whose worst is
// its largest value.
const WorstSample* worst_of(const Threshold& threshold, const std::vector<WorstSample>& samples);

}  // namespace tenure::sim
