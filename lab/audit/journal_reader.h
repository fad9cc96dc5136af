// Journals from text: lines with their places, or what is wrong and where.
//
// A journal that ends in the middle of a line was cut off by a crash, which is normal: what it lacks may have happened
// or not. Any other damage is an error, because a line that is left out could be the one that tells. Lines that are
// missing altogether are what_is_not_whole's (lab/audit/sequence_check.h). From version 4 on each line has the hash
// of the one before it: one that does not fit is an error. A new chain may begin where a process begins.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/journal/line.h"

namespace tenure::sim {

struct PlacedLine {
  std::size_t number = 0;  // in its journal, from 1
  journal::Line line;
};
struct NodeJournal {
  std::string name;
  std::vector<PlacedLine> lines;
  std::optional<std::size_t> cut_off;  // the line that it ends in the middle of
  // The chain (core/journal/line.h): what its first line follows; and the hash of its last line, of each of its chains
  // where several runtimes wrote to one sink. Empty before version 4.
  std::string follows = {};
  std::vector<std::string> heads = {};
  std::int64_t version = journal::kVersion;  // the oldest of its lines'
};
struct BadJournal {
  std::string message;  // "FILE:LINE: what is wrong"
};

// `zones`: for the definitions of schedules; without them those in a zone are not read.
std::variant<NodeJournal, BadJournal> read_journal(std::string name, std::string_view text,
                                                   const TimeZones* zones = nullptr);

}  // namespace tenure::sim
