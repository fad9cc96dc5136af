// Runs the checkers over every possible order of the lines (machines.h), and combines the results.
//
// Thread rule: pure functions.
#pragma once

#include <variant>
#include <vector>

#include "lab/audit/findings.h"
#include "lab/audit/in_order.h"
#include "lab/audit/machines.h"

namespace tenure::sim {

// `journals` has the times of the first order, before and after. What holds in one order but not in another is noted in
// `findings`, and is inconclusive.
std::variant<InOrder, BadJournal> judge_orders(std::vector<NodeJournal>& journals, const Orders& orders,
                                               const RealNames& real, AuditFindings& findings);

}  // namespace tenure::sim
