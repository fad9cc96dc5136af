// rows-allowed: each row of the ledger says of its slots what its definition allows. These are the simulator's rules
// (sim/checkers/oracle/row_rules.h), by which no-lost-fire judges a ledger there. And no row is earlier than the jitter
// of its last slot, which never-early cannot see without definitions.
//
// A leader decides on a row some time before it asks for the commit, by its own reading of the store's clock. A row is
// wrong only if it is wrong at all times that this leaves.
//
// Thread rule: one checker belongs to one audit.
#pragma once

#include "sim/checkers/checker.h"

namespace tenure::sim {

extern const CheckerKind kRowsAllowed;

}  // namespace tenure::sim
