// How far apart two sets of measurements are: the two-sample statistic of Kolmogorov and Smirnov, in integers.
//
// It is the largest difference between the shares of both that are at most some value. Whatever their distribution,
// two samples of the same one are farther apart than the critical distance with about the probability of the
// significance (N. Smirnov, Table for estimating the goodness of fit of empirical distributions, 1948). For values with
// many ties, as of coarse clocks, the probability is smaller.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenure::lab {

enum class Significance : std::uint8_t { five_percent, one_percent, tenth_of_a_percent };

struct SampleDistance {
  std::int64_t ppm = 0;          // 0: the same shares everywhere; 1,000,000: no overlap
  std::int64_t at = 0;           // the least value at which they differ that much
  std::int64_t first_share = 0;  // of the first sample, in ppm, that are at most `at`
  std::int64_t other_share = 0;
};
// REQUIRES: neither is empty.
SampleDistance distance_between(std::vector<std::int64_t> first, std::vector<std::int64_t> other);

// The distance, in ppm, beyond which two samples of these sizes differ by more than chance. For small samples it may
// exceed a million: no distance would do then. REQUIRES: both sizes are positive, and at most 10^9.
std::int64_t critical_distance_ppm(std::size_t first, std::size_t other, Significance significance);

}  // namespace tenure::lab
