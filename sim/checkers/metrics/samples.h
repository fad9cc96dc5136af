// Measured durations, and the statistics that thresholds are about, in integers.
//
// The first kExact values are kept as they are, and their statistics are exact. With more values, all go into a
// log-linear histogram, whose size does not depend on their number: count, min, max and mean stay exact, and a
// percentile is at most 1/128 too large, never too small.
//
// Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/int128.h"
#include "core/base/time.h"

namespace tenure::sim {

class Samples {
 public:
  static constexpr std::size_t kExact = 4096;

  // All that it holds, to be written to a file and read back.
  struct State {
    std::size_t count = 0;
    Duration min;
    Duration max;
    int128 sum = 0;
    std::vector<Duration> exact;         // until there are more than kExact
    std::vector<std::uint64_t> buckets;  // from then on
    bool operator==(const State&) const = default;
  };
  Samples() = default;
  explicit Samples(State state) : state_(std::move(state)) {}
  const State& state() const { return state_; }

  void add(Duration value);
  // Adds all values of `other`.
  void merge(const Samples& other);

  std::size_t count() const { return state_.count; }
  bool empty() const { return state_.count == 0; }
  // Zero when there are none.
  Duration min() const { return state_.min; }
  Duration max() const { return state_.max; }
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

  State state_;
};

}  // namespace tenure::sim
