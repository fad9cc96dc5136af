// Turns: of those that want one, it goes to the one that has waited longest. Who wants none keeps its place, so that it
// is first when it does.
//
// Thread rule: a value; one owner.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/base/fold.h"

namespace tenure {

template <class Party, std::size_t N>
class RoundRobin {
 public:
  explicit RoundRobin(const std::array<Party, N>& order) : order_(order) {}

  // Offers the turn to one after the other, until take(party) says that it was taken.
  template <class Take>
  void next(Take&& take) {
    const auto turn = std::find_if(order_.begin(), order_.end(), take);
    if (turn != order_.end()) std::rotate(turn, turn + 1, order_.end());
  }
  void had(Party party) {
    next([party](Party each) { return each == party; });
  }
  // Whether all others had a turn since this one had its last.
  bool is_first(Party party) const { return order_.front() == party; }

  void hash(auto& sink) const { fold(sink, order_); }

 private:
  std::array<Party, N> order_;
};

}  // namespace tenure
