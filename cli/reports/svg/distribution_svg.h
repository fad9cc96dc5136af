// A metric's samples as a chart: how large a share of them is at most how much. No bins, so nothing is hidden in one.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/checkers/metrics/samples.h"
#include "sim/scenario/names.h"
#include "sim/scenario/scenario.h"

namespace tenure::cli {

// "failover", of failover_seconds.
std::string words_of(std::string_view metric);

// With the median, and those of the thresholds that are about it; both have their words beside them.
// REQUIRES: there are samples.
std::string distribution_svg(const sim::MetricName& metric, const sim::Samples& samples,
                             const std::vector<sim::Threshold>& thresholds);

// The same of live and of simulated runs, one above the other; a count is so many seconds. `unit`: ", seconds", or
// nothing. REQUIRES: both have values.
std::string two_distributions_svg(std::string_view words, std::string_view unit, std::vector<Duration> live,
                                  std::vector<Duration> simulated);

}  // namespace tenure::cli
