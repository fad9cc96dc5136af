// Checks that journals are whole: each line of a life has its number, so a missing, doubled or misplaced line is found.
// Missing lines at the end of a life are not found: a crash cuts them off.
//
// A life may be spread over several journals, in the order of the machine's clock.
//
// Thread rule: pure functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lab/audit/journal_reader.h"

namespace tenure::sim {

// "FILE:LINE: what is wrong" for the first unexpected line; empty: all are whole, as far as they tell (version 2 has no
// numbers). A life in `begun_before` (chains.h) may begin with any number.
std::string check_sequence(const std::vector<NodeJournal>& journals,
                           const std::set<Incarnation>& begun_before = {});

}  // namespace tenure::sim
