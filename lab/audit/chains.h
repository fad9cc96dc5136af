// Journals in several files: the chain of lines goes from each file to the next (docs/adr/0027).
//
// A file of version 4 whose first line follows another one has that line's file before it. Where that is not among
// those that are given, something that was written is not judged: that is refused. A start that was deleted on purpose
// may be declared; then what the lives of such files tell is judged from their first word about leadership on, since
// what they believed before is not known, and there is no pass.
//
// Thread rule: pure functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "lab/audit/findings.h"
#include "lab/audit/journal_reader.h"

namespace tenure::sim {

// "FILE:1: …" of the first file whose predecessor is not there; empty: all are. With `start_missing` those may be
// without that have no life in common with an older file.
std::string what_has_no_predecessor(const std::vector<NodeJournal>& journals, bool start_missing);

// The lives that had begun before the oldest file that tells of them. REQUIRES: what_has_no_predecessor is empty.
std::set<Incarnation> lives_begun_before(const std::vector<NodeJournal>& journals);

// Takes away what they tell before their first word about leadership, and what only that explains, and says so.
// REQUIRES: the journals are whole, but for that.
void begin_late(const std::set<Incarnation>& lives, std::vector<NodeJournal>& journals,
                AuditFindings& findings);

}  // namespace tenure::sim
