// What `tenure hunt` found in one scenario: the one structure that every format prints.
//
// Equal for equal (file, seeds), whatever -j: holds no wall-clock time, unless the hunt was ended by one.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/keep.h"
#include "sim/hunt/hunt.h"

namespace tenure::cli {

struct Finding {
  std::uint64_t seed = 0;
  Kept kept;
  std::uint64_t times = 1;  // cases that failed in the same way
};

// A regression that was replayed before the hunt.
struct ReplayedFile {
  sim::Scenario scenario;
  sim::Replayed replayed;
  std::optional<sim::Story> story;  // of its failure
};

struct HuntFindings {
  std::string scenario;  // its name
  std::string path;
  std::uint64_t first_seed = 0;
  std::uint64_t planned = 0;  // cases
  std::uint64_t cases = 0;
  std::uint64_t inside = 0;
  std::uint64_t mutated = 0;
  std::uint64_t events = 0;
  std::size_t features = 0;
  std::uint64_t last_new_seed = 0;
  std::map<std::string, std::uint64_t> sometimes;  // how often, zeros included
  std::map<std::string, std::uint64_t> faults;     // strikes, zeros included
  std::map<std::string, std::uint64_t> examined;   // by checker
  std::vector<std::string>
      demanded_never;  // of the file's `sometimes`: what never happened; checkers that never looked
  std::vector<ReplayedFile> regressions;
  std::size_t other_regressions = 0;  // in the folder, of other scenarios, and not replayed
  std::vector<Finding> findings;      // in the order of their seeds
  std::uint64_t failures = 0;         // cases that failed
  std::uint64_t compared = 0;         // cases run twice
  std::string difference;             // between two runs of one case; empty: none
  std::uint64_t difference_seed = 0;
  std::string stopped;  // why before all that was planned; empty: it was not
  bool interrupted = false;
  ExitCode code = ExitCode::pass;
};

// fail, inconclusive or pass; a difference is not a verdict but an exit code of its own.
sim::Verdict verdict_of(const HuntFindings& findings);

}  // namespace tenure::cli
