// Measured durations, and the statistics that thresholds are about, in integers.
//
// The first kExact values are kept as they are, and their statistics are exact. With more values, all go into a
// log-linear histogram, whose size does not depend on their number: count, min, max and mean stay exact, and a
// percentile is at most 1/128 too large, never too small.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/int128.h"
#include "core/base/time.h"

namespace tenure::sim {

class Samples {
 public:
  static constexpr std::size_t kExact = 4096;

  void add(Duration value);
  // Adds all values of `other`.
  void merge(const Samples& other);

  std::size_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  // Zero when there are none.
  Duration min() const { return min_; }
  Duration max() const { return max_; }
  Duration mean() const;
  // Each of them; beyond kExact sorted, and as percentiles see them.
  std::vector<Duration> values() const;
  Duration percentile(std::int64_t ppm) const;  // nearest rank. REQUIRES: 0 <= ppm <= 1'000'000

  bool operator==(const Samples&) const = default;

 private:
  static constexpr std::int64_t kSteps = 128;         // buckets an octave
  static constexpr std::size_t kFirstOctaveBits = 8;  // of kSteps itself
  static std::size_t bucket_of(Duration value);
  static Duration top_of(std::size_t bucket);
  void spill();
  void count_in_bucket(Duration value, std::uint64_t n);

  std::size_t count_ = 0;
  Duration min_;
  Duration max_;
  int128 sum_ = 0;
  std::vector<Duration> exact_;         // until there are more than kExact
  std::vector<std::uint64_t> buckets_;  // from then on
};

}  // namespace tenure::sim
