// The simulator's checkers over the journals of real processes.
//
// The processes are those of one machine and one boot, on one store: the machine's boot clock, which all of them read,
// stands for true time. What a journal does not tell is not judged, and that is said of each checker. A violation fails
// the audit if the house protocol or its scheduler promises the invariant; else it is reported.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/audit/read.h"
#include "sim/runner/result.h"

namespace tenure::sim {

struct AuditedLife {
  enum class End : std::uint8_t { stopped, abandoned, none };
  std::string name;  // as violations name it: "n7", "n7#2", by the node's id
  NodeId node;
  std::string journal;
  TrueTime first;
  TrueTime last;
  End end = End::none;  // none: killed, or still running
};

// What a checker says nothing of, and why.
struct Silence {
  std::string_view checker;
  std::string why;
};

struct Audit {
  Verdict verdict = Verdict::inconclusive;  // inconclusive: nothing was examined, or not all of it was judged
  Duration span;                            // from the first line to the last
  std::uint64_t lines = 0;
  std::vector<AuditedLife> lives;
  std::vector<CheckResult> checks;  // those that were fed, in the registry's order
  std::vector<Silence> left_out;    // what these were not shown, though they would have looked
  std::vector<Silence> not_judged;  // the other checkers
  std::vector<std::string> notes;   // what the journals lack
};

std::variant<Audit, BadJournal> audit(std::vector<Journal> journals);

}  // namespace tenure::sim
