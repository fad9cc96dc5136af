// What a violation costs those who run the system.
//
// Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenure::sim {

// The gravest first.
enum class Damage : std::uint8_t {
  design_error,   // the design's program failed
  two_lead,       // two led at once
  stale_writes,   // what a deposed leader or worker wrote, or did under its old token, was taken
  double_fires,   // a fire was executed twice, or by two at once
  lost_fires,     // a slot that came due was neither fired nor accounted for
  early_fires,    // before its slot, or at none
  never_led,      // nobody ever led
  nobody_at_end,  // all was healed, and nobody led
  behind_at_end,  // all was healed, and what was due was not done
  other,
};
inline constexpr std::size_t kDamages = 10;

}  // namespace tenure::sim
