// What is known of the store's clock against one machine's: at each moment a range of differences.
//
// A request that was sent at s and answered at h by the machine's clock, and executed at x by the store's,
// says that the difference was x - h at least and x - s at most. The clocks run apart by a thousandth at most
// (kDriftPerSecond), so that each answer says something of all other moments too: the less, the farther away.
//
// Thread rule: a value.
#pragma once

#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/journal/stamp.h"

namespace tenure::sim {

struct ClockSample {
  journal::BootTime sent;
  journal::BootTime heard;
  StoreTime store;
};

class ClockEnvelope {
 public:
  explicit ClockEnvelope(const std::vector<ClockSample>& samples);

  bool known() const { return !low_.empty(); }
  // Whether there is a difference at each moment: else one of the clocks was stepped.
  bool consistent() const;
  // The store's clock when the machine's showed `at`: the earliest and the latest that it can have been.
  // REQUIRES: known().
  StoreTime earliest(journal::BootTime at) const;
  StoreTime latest(journal::BootTime at) const;
  // The span of the store's clock that was held against this machine's.
  StoreTime first() const { return first_; }
  StoreTime last() const { return last_; }

 private:
  // A bound of the difference at one moment, tightened by what is known at all others.
  struct Knot {
    journal::BootTime at;
    Duration difference;
  };
  static std::vector<Knot> tightened(std::vector<Knot> knots, bool lower);
  static Duration at(const std::vector<Knot>& knots, journal::BootTime when, bool lower);

  std::vector<Knot> low_;   // by time
  std::vector<Knot> high_;  // likewise
  StoreTime first_ = StoreTime::max();
  StoreTime last_ = StoreTime::min();
};

}  // namespace tenure::sim
