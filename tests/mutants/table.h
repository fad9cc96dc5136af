// The table of mutants.txt, as generate.py writes it down for the tests.
//
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tenure::mutant {

struct Mutant {
  std::string_view name;
  std::string_view file;
  std::string_view bug;
};
// By number.
std::span<const Mutant> mutants();

// A scenario file, below the root of the tree, and the seeds from 1 on that it is run with.
struct Share {
  std::string_view scenario;
  std::uint64_t seeds = 0;
};
std::span<const Share> budget();

}  // namespace tenure::mutant
