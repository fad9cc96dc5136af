// Reads journals from text: lines with their places, or an error with its place.
//
// A journal that ends in the middle of a line was cut off by a crash, which is normal: what it lacks may have happened
// or not. Any other damage is an error, because a skipped line could be the important one. check_sequence() finds lines
// that are missing (lab/audit/wholeness.h). Each line has the hash of the one before it; a wrong
// hash is an error. A new chain may begin where a process begins.
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

namespace tenure::lab {

struct PlacedLine {
  std::size_t number = 0;  // in its journal, from 1
  journal::Line line;
};
struct NodeJournal {
  std::string name;
  std::vector<PlacedLine> lines;
  std::optional<std::size_t> cut_off;  // the line in whose middle the journal ends
  // The chain (core/journal/line.h): the hash that its first line follows; and the hash of its last line, for each
  // chain if several runtimes wrote to one sink.
  std::string follows = {};
  std::vector<std::string> heads = {};
  std::int64_t version = journal::kVersion;  // the oldest version of its lines
};
struct BadJournal {
  std::string message;  // "FILE:LINE: what is wrong"
};

// The journals with lines, the oldest first: those of one life are parts of one text, in the order of the machine's
// clock.
std::vector<const NodeJournal*> in_time(const std::vector<NodeJournal>& journals);
std::vector<NodeJournal*> in_time(std::vector<NodeJournal>& journals);
// The first line's; zero of true time.
journal::BootTime first_time(const std::vector<NodeJournal>& journals);
std::string place_text(const NodeJournal& journal, std::size_t number);  // "FILE:LINE"

// `zones`: for the definitions of schedules; without `zones`, definitions with a time zone are not read.
std::variant<NodeJournal, BadJournal> read_journal(std::string name, std::string_view text,
                                                   const TimeZones* zones = nullptr);

}  // namespace tenure::lab
