// How often in a row a leader has tried something in vain.
//
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/kernel/true_time.h"

namespace tenure::sim {

class Tries {
 public:
  void tried(TrueTime now) {
    ++count_;
    if (count_ == 1) first_ = now;
    if (count_ == kEnough) enough_ = now;
  }
  void succeeded() { *this = {}; }

  std::uint64_t count() const { return count_; }
  TrueTime first() const { return first_; }
  // When a leader should have let another try: the first request is a `stall` and a `timeout` old, and kEnough of them
  // had their answers. max() while there are not so many.
  TrueTime too_long(Duration stall, Duration timeout) const {
    return count_ < kEnough ? TrueTime::max() : std::max(first_ + stall, enough_) + timeout;
  }

 private:
  static constexpr std::uint64_t kEnough = 3;  // so many in vain are no accident

  std::uint64_t count_ = 0;
  TrueTime first_;
  TrueTime enough_;  // the kEnough-th
};

}  // namespace tenure::sim
