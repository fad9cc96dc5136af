// Journals in several files: the chain of lines goes from each file to the next (docs/adr/0027).
//
// If the first line of a file of version 4 follows another line, that line's file comes before it. If that file is not
// given, something written is not judged. If older files tell of the same life, that is a gap (gaps.h). Else the audit
// refuses, unless it is declared that the start was deleted on purpose. Then the lives in such files are judged from
// their first line about leadership on, because their earlier belief is unknown, and there is no pass.
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

bool follows_what_is_not_there(const NodeJournal& journal, const std::vector<NodeJournal>& journals);

// "FILE:1: …" for the first file whose predecessor is missing, and no older file tells of one of its lives; empty:
// there is none.
std::string what_has_no_beginning(const std::vector<NodeJournal>& journals);

// The lives that had begun before the oldest file that tells of them. REQUIRES: there are no gaps.
std::set<Incarnation> lives_begun_before(const std::vector<NodeJournal>& journals);

// Removes what these lives tell before their first line about leadership, and what only that explains, and says so.
// REQUIRES: the journals are otherwise whole.
void begin_late(const std::set<Incarnation>& lives, std::vector<NodeJournal>& journals,
                AuditFindings& findings);

}  // namespace tenure::sim
