// The difference between the store's clock and one machine's clock: a range at each moment.
//
// A request was sent at s and answered at h by the machine's clock, and executed at x by the store's. So the difference
// was between x - h and x - s. The clocks drift apart by at most a thousandth (kDriftPerSecond), so each answer also
// bounds the difference at all other moments, less tightly the farther away.
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
  // Whether a difference is possible at each moment; if not, one of the clocks was stepped.
  bool consistent() const;
  // The earliest and the latest that the store's clock can have shown when the machine's showed `at`. REQUIRES:
  // known().
  StoreTime earliest(journal::BootTime at) const;
  StoreTime latest(journal::BootTime at) const;
  // The span of the store's clock that was compared with this machine's.
  StoreTime first() const { return first_; }
  StoreTime last() const { return last_; }

 private:
  // A bound of the difference at one moment, tightened by the bounds at all other moments.
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
