// The simulator's checkers over journals whose lines are in one order of time.
//
// Thread rule: pure functions and values.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "lab/audit/audit.h"
#include "lab/audit/evidence.h"
#include "lab/audit/id_compaction.h"
#include "lab/audit/machines.h"
#include "sim/runner/recording.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

struct InOrder {
  std::vector<sim::CheckResult> checks;        // the checkers that were fed, in the registry's order
  std::vector<sim::ViolationSpan> violations;  // the same, with who is in them; nodes by their ids
  std::vector<Silence> left_out;
  std::vector<Silence> not_judged;
  sim::TrueTime last;
  std::vector<ResourceId> clock_went_back;
  std::size_t unfinished = 0;  // pieces of work without a result
};

std::variant<InOrder, BadJournal> judge_in_order(const JournalHistory& history, const RealNames& real);

// The same in every possible order of the lines (machines.h), with the results combined. `journals` has the times of
// the first order, before and after. What holds in one order but not in another is noted in `findings`, and is
// inconclusive.
std::variant<InOrder, BadJournal> judge_orders(std::vector<NodeJournal>& journals, const Orders& orders,
                                               const RealNames& real, AuditFindings& findings);

// The scenario for the checkers: fenced-lease, and the schedules by their numbers in the journals.
sim::Scenario scenario_of(const RealNames& real);

}  // namespace tenure::lab
