// The history hands every record to its observers, and adds it to the trace hash; but not those that are for pictures
// alone, as they follow from others (kForPictures).
//
// Thread rule: one history belongs to one run.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "sim/kernel/timeline.h"
#include "sim/world/record.h"

namespace tenure::sim {

class History {
 public:
  explicit History(Timeline& timeline) : timeline_(timeline) {}

  // Observers see records in the order in which they were added. `observer` must outlive the run.
  void add(Observer& observer);
  void emit(const Record& record);
  // Whether somebody sees records of this kind: before much is done for one.
  template <class Kind>
  bool has_observer_of() const {
    for (std::size_t kind = 0; kind < observers_.size(); ++kind)
      if (((record_mask<Kind>() >> kind) & 1U) != 0 && !observers_[kind].empty()) return true;
    return false;
  }

 private:
  Timeline& timeline_;
  std::array<std::vector<Observer*>, std::variant_size_v<Record>> observers_;  // by kind of record
};

}  // namespace tenure::sim
