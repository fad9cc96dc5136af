// A part of a campaign on disk: a campaign is one command whose runs are shared out over many machines (shard.h), and
// each part saves what its runs say together. `tenure merge` reads them all, and reports as if one machine had made all
// runs.
//
// A file is written whole (output_file.h), now and then and in the end: a part that was killed goes on where its file
// ends, and has lost the runs since.
//
// Thread rule: touches files.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lab/session/output_file.h"
#include "lab/session/shard.h"

namespace tenure::lab {

// What all parts of a campaign have in common.
struct Campaign {
  std::string command;             // "run" or "hunt"
  std::vector<std::string> paths;  // of scenarios, as they were given
  std::vector<std::string> sets;   // --set, likewise
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;  // of each scenario
  bool twice = false;
  bool guided = true;  // of a hunt
  std::string of;      // the program, and everything that its runs depend on besides
  bool operator==(const Campaign&) const = default;
};

struct PartFile {
  Campaign campaign;
  Shard shard;
  std::uint64_t done = 0;  // runs, in order
  std::uint64_t planned = 0;
  std::vector<std::string> states;  // what they say, each a line of text
};

// The file of a part in the campaign's folder.
std::string part_path(const std::string& folder, const std::string& command, const Shard& shard);

// Or why it is none, for people.
std::variant<PartFile, std::string> read_part(const std::string& path);
FileWritten write_part(const std::string& path, const PartFile& part);

}  // namespace tenure::lab
