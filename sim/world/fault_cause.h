// The kind of a fault, and what it does to a leader: used to say what ended a leadership.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenure::sim {

// In the words of the report: "leaderless 31.2s: crash 15.1, pause 15.9, …".
enum class FaultCause : std::uint8_t { start, crash, pause, deploy, network, store, clock, slow, other };
std::string_view name_of(FaultCause cause);

// How a fault can take leadership from a running leader.
enum class Manner : std::uint8_t {
  spares,       // not at all
  weakens,      // others stand in for what it strikes: one of five stores
  hinders,      // renewals are late, lost or checked by a wrong clock
  cuts,         // no renewal succeeds while it lasts
  takes_away,   // at once: the store forgets the holder, or its clock ends the lease
  fails_over,   // likewise, but only when the store fails over
  stops,        // it ends or pauses the process; the records show that
  stops_again,  // likewise, also after its beginning
};

// A fault declares both (sim/faults/registry.h). There is no default, so that none is forgotten.
struct Harm {
  constexpr Harm(FaultCause t, Manner m) : cause(t), manner(m) {}
  FaultCause cause;
  Manner manner;
};

}  // namespace tenure::sim
