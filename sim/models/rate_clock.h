// A clock with its own rate: a piecewise linear function of true time.
//
// reading(t) = base + floor((t - base_true) * (1 + ppm / 1e6)), in 128 bits. A rate of -1'000'000 stands still.
//
// Thread rule: one clock belongs to one run.
#pragma once

#include <cstdint>

#include "sim/kernel/true_time.h"

namespace tenure::sim {

class RateClock {
 public:
  static constexpr std::int64_t kStill = -1'000'000;

  RateClock() = default;
  RateClock(std::int64_t reading_at_zero, std::int64_t rate_ppm)
      : base_(reading_at_zero), rate_ppm_(rate_ppm) {}

  std::int64_t read(TrueTime now) const;
  // The least true time, no earlier than the last change, at which the reading is at least `reading`; max() if never.
  TrueTime when(std::int64_t reading) const;

  std::int64_t rate_ppm() const { return rate_ppm_; }
  void set_rate(TrueTime now, std::int64_t rate_ppm);
  void step(TrueTime now, Duration by);

 private:
  TrueTime base_true_;
  std::int64_t base_ = 0;
  std::int64_t rate_ppm_ = 0;
};

}  // namespace tenure::sim
