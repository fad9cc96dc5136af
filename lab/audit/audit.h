// The simulator's checkers over the journals of real processes.
//
// The processes are those of one store. On one machine its boot clock, which all of them read, stands for
// true time; several have the store's clock in common, as far as their answers pin it (machines.h). What a
// journal does not tell is not judged, and that is said of each checker. A violation fails the audit if
// fenced-lease or its scheduler promises the invariant; else it is reported. Beside the checkers, journals
// are held against each other (findings.h): what one shows and no other tells of is said, and is no pass.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/audit/journal_reader.h"
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
  Verdict verdict =
      Verdict::inconclusive;  // inconclusive: nothing was examined at all, or something is lacking
  Duration span;              // from the first line to the last
  std::uint64_t lines = 0;
  std::vector<AuditedLife> lives;
  std::vector<CheckResult> checks;  // those that were fed, in the registry's order; then the audit's own
  std::vector<Silence> left_out;    // what these were not shown, though they would have looked
  std::vector<Silence> not_judged;  // the other checkers
  std::vector<std::string>
      lacking;                     // what happened and no journal tells of, or in no order: there is no pass
  std::vector<std::string> notes;  // what else is to be known of the journals
};

// `start_missing`: the oldest files of a chain are not there, on purpose; what is left is judged (chains.h).
std::variant<Audit, BadJournal> audit(std::vector<NodeJournal> journals, bool start_missing = false);

}  // namespace tenure::sim
