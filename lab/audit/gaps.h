// Lines that are missing in the middle of a life: those that a full disk did not take, or a file that is not given.
//
// What a runtime writes after such lines begins a file (journal_files.h) whose first line follows a line that nobody
// has. What the life did in between is not known. So the parts on both sides are judged one by one: before the gap the
// life is one whose journal has lost its end (lost_ends.h), and after it, one whose journal has lost its beginning
// (chains.h). Lives without a gap are in every part, as a whole. With several gaps there is a part for the time between
// each two of them.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lab/audit/journal_reader.h"

namespace tenure::sim {

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

}  // namespace tenure::sim
