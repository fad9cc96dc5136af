// The moves of an exploration: one thing that happens, to one instance or to all.
//
// Thread rule: values.
#pragma once

#include <cstdint>

namespace tenure::lab::explore {

enum class MoveKind : std::uint8_t {
  start,    // the process starts, for the first time or again
  timer,    // the timer at `index` fires
  leave,    // the first effect that waits leaves
  execute,  // the request at `index` arrives and is executed
  land,     // the work at `index` reaches the outside resource
  hear,     // the answer, or the notification, at `index` arrives
  give_up,  // no answer to the request at `index` by its deadline: unknown
  lose,     // what is at `index` never arrives
  stop,     // the process is asked to stop
  pause,
  resume,
  crash,
  wait,  // of the whole world: time moves to the next instant
};

struct Move {
  MoveKind kind = MoveKind::wait;
  std::uint8_t index = 0;  // of a timer or a packet of the instance
  bool high = false;       // random waits drawn in this step are longest
  bool operator==(const Move&) const = default;
};

// A move and its instance, in one word.
constexpr std::uint32_t pack(std::uint32_t node, Move move) {
  return (node << 24) | (static_cast<std::uint32_t>(move.kind) << 16) | (std::uint32_t{move.index} << 8) |
         (move.high ? 1u : 0u);
}
constexpr std::uint32_t node_in(std::uint32_t packed) { return packed >> 24; }
constexpr Move move_in(std::uint32_t packed) {
  return {static_cast<MoveKind>((packed >> 16) & 0xff), static_cast<std::uint8_t>((packed >> 8) & 0xff),
          (packed & 1u) != 0};
}

}  // namespace tenure::lab::explore
