// Which records a reader can skip at once; most records are about fires.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "sim/world/record.h"

namespace tenure::sim {
namespace detail {

template <class Kind, class... Kinds>
constexpr std::size_t place_of(const std::variant<Kinds...>*) {
  std::size_t place = 0;
  static_cast<void>(((std::is_same_v<Kind, Kinds> ? true : (++place, false)) || ...));
  return place;
}
template <class... Kinds>
constexpr std::uint32_t mask_of() {
  constexpr const Record* kRecord = nullptr;
  return ((1u << place_of<Kinds>(kRecord)) | ...);
}

}  // namespace detail

// Acts of nodes, stores and the outside world. The other records are about lives, clocks, notes and faults.
inline bool is_act(const Record& record) {
  constexpr std::uint32_t kActs =
      detail::mask_of<Submitted, WorkAsked, Applied, WorkLanded, WorkEnded, WriteAsked, WriteLanded>();
  return ((kActs >> record.index()) & 1u) != 0;
}

}  // namespace tenure::sim
