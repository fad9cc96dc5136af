// rows-allowed: each row of the ledger says of its slots what its definition allows. These are the simulator's rules
// (sim/checkers/oracle/row_rules.h), by which no-lost-fire judges a ledger there. Besides, no row is earlier than the
// jitter of its last slot, which never-early cannot see without definitions, and the row of a single fire reaches over
// no other slot.
//
// A leader decides on a row by its own reading of the store's clock: no earlier than what its scheduler had heard of
// it, and no later than the commit, but for drift. A row is wrong only if it is wrong at all times that this leaves.
//
// Thread rule: one checker belongs to one audit.
#pragma once

#include <map>
#include <memory>

#include "sim/checkers/checker.h"

namespace tenure::lab {

// It is made with more than a checker's setup.
extern const sim::CheckerKind kRowsAllowed;

// `heard`: as in Moments; it must outlive the checker.
std::unique_ptr<sim::Checker> make_rows_allowed(const sim::CheckerSetup& setup,
                                                const std::map<RequestId, StoreTime>& heard);

}  // namespace tenure::lab
