// Pauses in a JVM's unified log (JEP 158), as `-Xlog:gc` and `-Xlog:safepoint` write it, in that of JDK 8, and in what
// programs in Go write with GODEBUG=gctrace=1.
//
//   [12.345s][info][gc] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.456ms
//   [12.346s][info][safepoint] Safepoint "G1CollectForAllocation", Time since last: 9 ns, …, Total: 3512345 ns
//   [12.346s][info][safepoint] Total time for which application threads were stopped: 0.0035 seconds, …
//
//   2026-10-25T22:49:14.690+0000: 16443.462: [GC (Allocation Failure) 33G->12G(40G), 0.0819531 secs] [Times: …]
//
//   gc 7 @0.412s 1%: 0.018+1.2+0.003 ms clock, 0.14+0.35/2.1/1.4+0.024 ms cpu, 4->4->0 MB, 5 MB goal, …, 8 P
//
// Go stops the program twice: before it marks, at the time of the line, and after (runtime/mgc.go, gcMarkTermination).
// Any decorations are accepted, and decimal commas. A line is written at its pause's end, and has that time; in JDK 8
// it has the time of the beginning.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace tenure::lab {

struct GcLine {
  enum class Kind : std::uint8_t { other, pause, safepoint, broken };
  Kind kind = Kind::other;
  Duration length;
  std::optional<std::int64_t> stamp_ns;  // of the end, since the program's start or the epoch
  struct Second {
    Duration length;
    std::optional<std::int64_t> stamp_ns;
  };
  std::optional<Second> second;  // pause of a line of Go
  std::string problem;           // broken
};

GcLine read_gc_line(std::string_view line);
// Whether it can be a line of such a log, and of nothing else.
bool looks_like_gc(std::string_view line);

}  // namespace tenure::lab
