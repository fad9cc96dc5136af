// Thresholds: a statistic of a metric against a bound, in integers.
//
// A percentile needs enough samples to mean something: pN at least 100 / (100 - N) of them (p99: 100). With fewer, or
// with none for mean, min and max, the threshold is inconclusive.
//
// Thread rule: pure functions.
#pragma once

#include "sim/checkers/measures.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// `simulated` is the time over which `metrics` were collected. For a batch, both are sums and pools.
CheckResult judge(const Threshold& threshold, const Metrics& metrics, Duration simulated);

}  // namespace tenure::sim
