// From many samples, or from a histogram, to the table of quantiles that a scenario can print.
//
// Of samples, a quantile is by nearest rank: the smallest sample that has at least that share at or below it; so every
// point of the table is a length that was measured. Of a histogram it is linear within a bucket, as Prometheus'
// histogram_quantile has it.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/models/quantiles.h"

namespace tenure::sim {

// REQUIRES: there is one, and none is negative.
Quantiles reduce_samples(std::vector<Duration> samples);

struct Bucket {
  Duration upper;
  std::int64_t count = 0;  // in it, not up to it; any scale
};
// Buckets without gaps from zero, by their upper ends. REQUIRES: some count is not zero.
Quantiles reduce_buckets(const std::vector<Bucket>& buckets);

}  // namespace tenure::sim
