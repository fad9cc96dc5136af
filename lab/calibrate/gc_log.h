// Pauses in a JVM's unified log (JEP 158), as `-Xlog:gc` and `-Xlog:safepoint` write it.
//
//   [12.345s][info][gc] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.456ms
//   [12.346s][info][safepoint] Safepoint "G1CollectForAllocation", Time since last: 9 ns, …, Total: 3512345 ns
//   [12.346s][info][safepoint] Total time for which application threads were stopped: 0.0035 seconds, …
//
// Any decorations are accepted. A line is written at its pause's end.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace tenure::sim {

struct GcLine {
  enum class Kind : std::uint8_t { other, pause, safepoint, broken };
  Kind kind = Kind::other;
  Duration length;
  std::optional<std::int64_t> stamp_ns;  // since the JVM's start, or the epoch
  std::string problem;                   // broken
};

GcLine read_gc_line(std::string_view line);

}  // namespace tenure::sim
