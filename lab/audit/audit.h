// The simulator's checkers over the journals of real processes.
//
// All processes use one store. On one machine, its boot clock stands for true time. Several machines share the store's
// clock, as far as answers fix it (machines.h). What a journal does not tell is not judged, and the audit says so for
// each checker. A violation fails the audit if fenced-lease or its scheduler promises the invariant; otherwise it is
// reported. Journals are also compared with each other (findings.h): what one shows and no other tells is reported, and
// prevents a pass.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/audit/journal_reader.h"
#include "lab/audit/timeline.h"
#include "sim/runner/result.h"

namespace tenure::lab {

struct AuditedLife {
  enum class End : std::uint8_t { stopped, abandoned, none };
  std::string name;  // its name in violations: "n7", "n7#2", by the node's id
  NodeId node;
  std::string journal;
  sim::TrueTime first;
  sim::TrueTime last;
  End end = End::none;  // none: killed, or still running
};

// What a checker does not judge, and why.
struct Silence {
  std::string_view checker;
  std::string why;
};

struct Audit {
  sim::Verdict verdict =
      sim::Verdict::inconclusive;  // inconclusive: nothing was examined, or something is lacking
  Duration span;                   // from the first line to the last
  std::uint64_t lines = 0;
  std::vector<AuditedLife> lives;
  std::vector<sim::CheckResult> checks;  // the checkers that were fed, in the registry's order; then its own
  std::vector<Silence> left_out;         // what these were not shown, although they would judge it
  std::vector<Silence> not_judged;       // the other checkers
  std::vector<std::string>
      lacking;  // what happened but no journal tells, or what has no order: prevents a pass
  std::vector<std::string> notes;         // what else to know about the journals
  std::optional<AuditTimeline> timeline;  // if it was asked for, and the journals have a common order
};

// `start_missing`: the oldest files of a chain were deleted on purpose; the rest is judged (wholeness.h).
// `with_timeline`: it is to be drawn.
std::variant<Audit, BadJournal> audit(std::vector<NodeJournal> journals, bool start_missing = false,
                                      bool with_timeline = false);

}  // namespace tenure::lab
