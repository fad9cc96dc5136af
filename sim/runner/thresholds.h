// Thresholds: a statistic of a metric against a bound, in integers.
//
// A percentile needs enough samples to mean something: pN at least 100 / (100 - N) of them (p99: 100). With fewer, or
// with none for mean, min and max, the threshold is inconclusive.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/checkers/metrics/measures.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// One run's samples of a metric: all samples of a distribution; for any other metric its one value, with one unit as a
// second; empty when it was not observed. `simulated`: the time over which `metrics` were collected.
Samples samples_of(std::string_view metric, const Metrics& metrics, Duration simulated);

// How many samples a percentile needs.
std::size_t samples_needed(std::int64_t percentile_ppm);

// Over one run.
CheckResult judge(const Threshold& threshold, const Metrics& metrics, Duration simulated);
// Over the pooled samples of many.
CheckResult judge(const Threshold& threshold, const Samples& samples);

}  // namespace tenure::sim
