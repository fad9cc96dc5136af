// A distribution of durations as an integer quantile table, linear between the points.
//
// No std distribution, no floating point: the same draw on every compiler. In a scenario it is one duration ("5ms":
// always this) or { min, p50, p90, p99, p999, max }. Only p50 is required: the default for min is half of p50, for max
// the largest point given.
//
// Thread rule: immutable after construction.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"
#include "sim/kernel/keyed_rng.h"

namespace tenure::sim {

class Quantiles {
 public:
  static constexpr std::int64_t kOne = 1'000'000;  // quantiles are in parts per million

  struct Point {
    std::int64_t at = 0;  // 0 … kOne
    Duration value;
    bool operator==(const Point&) const = default;
  };

  Quantiles() = default;  // always zero
  static Quantiles constant(Duration value);
  // REQUIRES: points begin at 0 and end at kOne; both coordinates never decrease, `at` strictly increases.
  static Quantiles table(std::vector<Point> points);

  // The value at a uniformly drawn quantile.
  Duration draw(KeyedRng rng) const;
  Duration at(std::int64_t quantile) const;  // REQUIRES: 0 <= quantile <= kOne
  Duration mean() const;                     // of all draws, rounded down
  Duration min() const { return points_.front().value; }
  Duration max() const { return points_.back().value; }
  bool is_constant() const { return min() == max(); }
  const std::vector<Point>& points() const { return points_; }
  bool operator==(const Quantiles&) const = default;

 private:
  std::vector<Point> points_ = {{0, Duration{}}, {kOne, Duration{}}};
};

}  // namespace tenure::sim
