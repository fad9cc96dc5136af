// Whether journals are whole, and what of them is judged if they are not.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "lab/audit/findings.h"
#include "lab/audit/journal_reader.h"
#include "lab/audit/machines.h"

namespace tenure::lab {

// Checks that journals are whole: each line of a life has its number, so a missing, doubled or misplaced line is found.
// Missing lines at the end of a life are not found: a crash cuts them off.
//
// A life may be spread over several journals, in the order of the machine's clock.

// "FILE:LINE: what is wrong" for the first unexpected line; empty: all are whole. A life in `begun_before`
// (lives_begun_before) may begin with any number.
std::string check_sequence(const std::vector<NodeJournal>& journals,
                           const std::set<Incarnation>& begun_before = {});

// Journals in several files: the chain of lines goes from each file to the next (docs/adr/0027).
//
// If the first line of a file follows another line, that line's file comes before it. If that file is not
// given, something written is not judged. If older files tell of the same life, that is a gap. Else the audit
// refuses, unless it is declared that the start was deleted on purpose. Then the lives in such files are judged from
// their first line about leadership on, because their earlier belief is unknown, and there is no pass.

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

// Lines that are missing in the middle of a life: those that a full disk did not take, or a file that is not given.
//
// What a runtime writes after such lines begins a file (journal_files.h) whose first line follows a line that nobody
// has. What the life did in between is not known. So the parts on both sides are judged one by one: before the gap the
// life is one whose journal has lost its end (LostEnd), and after it, one whose journal has lost its beginning
// (below). Lives without a gap are in every part, as a whole. With several gaps there is a part for the time between
// each two of them.

struct JournalGap {
  Incarnation who;
  std::uint64_t first = 0;  // the lines of the life that are missing
  std::uint64_t last = 0;
  std::string after;  // "FILE:LINE"
  std::string before;
  std::size_t part = 0;  // that begins with it, from 1
};

// By time. Only where a file begins: what is missing in the middle of a file was taken out. BadJournal: a file follows
// a line that nobody has, although no line is missing.
std::variant<std::vector<JournalGap>, BadJournal> gaps_in(const std::vector<NodeJournal>& journals);
// For `lacking`.
std::string text_of(const JournalGap& gap);

// How many parts there are, and what of the journals is in one of them, from 0.
std::size_t parts_of(const std::vector<JournalGap>& gaps);
std::vector<NodeJournal> part_of(const std::vector<NodeJournal>& journals,
                                 const std::vector<JournalGap>& gaps, std::size_t part);

// Finds lives that go on after their end, and lives that cannot both be: two of one node at once, and one of two nodes.
//
// `died` is the last line of a life: the runtime writes nothing after it. If something follows, the runtime did not
// write one of the two, or it has a bug. Then the end is ignored: what the life declared before still holds, and what
// it did afterwards is judged with the rest.

// Removes those ends from the journals, and reports each (life-ends-once). REQUIRES: the journals are whole.
void take_false_ends_away(std::vector<NodeJournal>& journals, AuditFindings& findings);
// Those that are at once in each of these orders. REQUIRES: there is one.
void find_lives_at_once(const std::vector<NodeJournal>& journals, const std::vector<LineTimes>& orders,
                        AuditFindings& findings);

}  // namespace tenure::lab
