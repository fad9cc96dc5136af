// Which records a reader can skip at once; most records are about fires. And how each kind gets to its reader.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "sim/world/record.h"

namespace tenure::sim {

// `kinds`: a record_mask.
inline bool is_one_of(std::uint32_t kinds, const Record& record) {
  return ((kinds >> record.index()) & 1u) != 0;
}

// Acts of nodes, stores and the outside world. The other records are about lives, clocks, notes and faults.
inline bool is_act(const Record& record) {
  constexpr std::uint32_t kActs =
      record_mask<Submitted, WorkAsked, Applied, WorkArrived, WorkEnded, WriteAsked, WriteLanded>();
  return is_one_of(kActs, record);
}

// Whether `Reader` has a public function on(now, it) for this kind of record.
template <class Reader, class Kind>
constexpr bool reads_kind() {
  return requires(Reader & reader, TrueTime now, const Kind& it) { reader.on(now, it); };
}

// A record_mask of the kinds that it has one for.
template <class Reader, class... Kinds>
constexpr std::uint32_t kinds_read_by(const std::variant<Kinds...>*) {
  return ((reads_kind<Reader, Kinds>() ? record_mask<Kinds>() : 0) | ...);
}
template <class Reader>
constexpr std::uint32_t kinds_read_by() {
  return kinds_read_by<Reader>(static_cast<const Record*>(nullptr));
}

// Calls that function, if the record is of that kind and the reader has one. Whether it did.
template <class Kind, class Reader>
bool show_kind(Reader& reader, TrueTime now, const Record& record) {
  if constexpr (reads_kind<Reader, Kind>()) {
    const auto* it = std::get_if<Kind>(&record);
    if (it != nullptr) reader.on(now, *it);
    return it != nullptr;
  }
  return false;
}

// Compares with the few kinds that are read: that takes less than a visit.
template <class Reader, class... Kinds>
void show_to(Reader& reader, TrueTime now, const std::variant<Kinds...>& record) {
  static_cast<void>((show_kind<Kinds>(reader, now, record) || ...));
}
}  // namespace tenure::sim
