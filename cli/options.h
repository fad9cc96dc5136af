// What the command line asked for, read and checked.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/toml/document.h"

namespace tenure::cli {

enum class Format { text, json };

struct SeedRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // included
};

struct RunOptions {
  std::vector<std::string> paths;
  std::vector<sim::Override> sets;
  std::optional<std::uint64_t> seed;
  std::optional<SeedRange> seeds;
  unsigned jobs = 1;
  Format format = Format::text;
  std::string trace;  // a file to write; empty: none
  bool print_plan = false;
  bool twice = false;
};

struct CheckOptions {
  std::vector<std::string> paths;
  std::vector<sim::Override> sets;
};

struct ListOptions {
  std::string what;    // empty: everything but scenarios
  std::string folder;  // of scenarios
};

}  // namespace tenure::cli
