// The simulator's checkers over journals whose lines are in one order of time.
//
// Thread rule: pure functions and values.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "lab/audit/audit.h"
#include "lab/audit/fire_evidence.h"
#include "lab/audit/id_compaction.h"
#include "sim/runner/recording.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

struct InOrder {
  std::vector<CheckResult> checks;        // the checkers that were fed, in the registry's order
  std::vector<ViolationSpan> violations;  // the same, with who is in them; nodes by their ids
  std::vector<Silence> left_out;
  std::vector<Silence> not_judged;
  TrueTime last;
  std::vector<ResourceId> clock_went_back;
  std::size_t unfinished = 0;  // pieces of work without a result
};

// `again`: repeated beginnings of work that are no duplicates (begun_again).
std::variant<InOrder, BadJournal> judge_in_order(const std::vector<NodeJournal>& journals,
                                                 const RealNames& real, const BegunAgain& again);

// The scenario for the checkers: fenced-lease, and the schedules by their numbers in the journals.
Scenario scenario_of(const RealNames& real);

}  // namespace tenure::sim
