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

// Calls that function, if there is one. Compares with the few kinds that are read: that takes less than a visit.
template <class Reader, std::size_t... kKinds>
void show_to(Reader& reader, TrueTime now, const Record& record, std::index_sequence<kKinds...>) {
  const auto show = [&]<std::size_t kKind>(std::integral_constant<std::size_t, kKind>) {
    if constexpr (reads_kind<Reader, std::variant_alternative_t<kKind, Record>>()) {
      const auto* it = std::get_if<kKind>(&record);
      if (it != nullptr) reader.on(now, *it);
      return it != nullptr;
    }
    return false;
  };
  static_cast<void>((show(std::integral_constant<std::size_t, kKinds>()) || ...));
}
template <class Reader>
void show_to(Reader& reader, TrueTime now, const Record& record) {
  show_to(reader, now, record, std::make_index_sequence<std::variant_size_v<Record>>());
}

}  // namespace tenure::sim
