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
#include "sim/scenario/scenario.h"

namespace tenure::sim {

struct InOrder {
  std::vector<CheckResult> checks;  // those that were fed, in the registry's order
  std::vector<Silence> left_out;
  std::vector<Silence> not_judged;
  TrueTime last;
  std::vector<ResourceId> clock_went_back;
  std::size_t unfinished = 0;  // pieces of work of which nothing came back
};

// `again`: beginnings of work that are no duplicates (begun_again).
std::variant<InOrder, BadJournal> judge_in_order(const std::vector<NodeJournal>& journals,
                                                 const RealNames& real, const BegunAgain& again);

// What the checkers ask about: fenced-lease, and the schedules by the numbers that the journals have
// for them.
Scenario scenario_of(const RealNames& real);

}  // namespace tenure::sim
