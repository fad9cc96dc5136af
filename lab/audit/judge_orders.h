// The checkers over every order that the lines can have been in (machines.h), as one answer.
//
// Thread rule: pure functions.
#pragma once

#include <variant>
#include <vector>

#include "lab/audit/findings.h"
#include "lab/audit/in_order.h"
#include "lab/audit/machines.h"

namespace tenure::sim {

// The times of the first order are in `journals`, before and after. What holds in one order and not in
// another is said in `findings`, and is inconclusive.
std::variant<InOrder, BadJournal> judge_orders(std::vector<NodeJournal>& journals, const Orders& orders,
                                               const RealNames& real, AuditFindings& findings);

}  // namespace tenure::sim
