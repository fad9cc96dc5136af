// Reduces many samples, or a histogram, to the table of quantiles that a scenario can print.
//
// A quantile of samples is by nearest rank: the smallest sample with at least that share at or below it. So every point
// of the table was measured. A quantile of a histogram is linear within a bucket, like Prometheus' histogram_quantile.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/models/quantiles.h"

namespace tenure::lab {

// REQUIRES: samples is not empty, and none is negative.
sim::Quantiles reduce_samples(std::vector<Duration> samples);

struct Bucket {
  Duration upper;
  std::int64_t count = 0;  // in the bucket, not up to it; in any scale
};
// Buckets without gaps from zero, by their upper ends. REQUIRES: some count is not zero.
sim::Quantiles reduce_buckets(const std::vector<Bucket>& buckets);

}  // namespace tenure::lab
