// Whether journals are whole: each line of a life has its number, so that one that is missing, doubled or in another's
// place is found. What is missing at the end of a life is not: there a crash cuts it off.
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

// "FILE:LINE: what is wrong" of the first line that is not the one that was to come; empty: all are whole, as far as
// they say (version 2 numbers nothing). Of `begun_before` (chains.h) the first line that is there is the first.
std::string check_sequence(const std::vector<NodeJournal>& journals,
                           const std::set<Incarnation>& begun_before = {});

}  // namespace tenure::sim
