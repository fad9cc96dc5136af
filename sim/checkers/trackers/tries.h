// How often in a row a leader has tried something in vain.
//
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/kernel/true_time.h"

namespace tenure::sim {

class Tries {
 public:
  // `stall`: after so long it should let another try. From one try to the next half of that counts at most: in the
  // meantime it may have waited for workers, and had nothing to try.
  void tried(TrueTime now, Duration stall) {
    ++count_;
    if (count_ == 1) first_ = now;
    if (count_ > 1) vain_ += std::min(now - latest_, stall / 2);
    latest_ = now;
    if (count_ >= kEnough && vain_ >= stall) last_ = last_.value_or(now);
  }
  void succeeded() { *this = {}; }

  std::uint64_t count() const { return count_; }
  TrueTime first() const { return first_; }
  TrueTime latest() const { return latest_; }
  // When a leader should have let another try: of kEnough requests or more, the first that was made after a
  // `stall` in vain has had its answer, after `timeout`. max() while there is none.
  TrueTime too_long(Duration timeout) const { return last_ ? *last_ + timeout : TrueTime::max(); }

 private:
  static constexpr std::uint64_t kEnough = 3;  // so many in vain are no accident

  std::uint64_t count_ = 0;
  TrueTime first_;
  TrueTime latest_;
  Duration vain_;                 // what counts of the time between them
  std::optional<TrueTime> last_;  // that it may have made
};

}  // namespace tenure::sim
