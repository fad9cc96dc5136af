// What a hunt found in one scenario.
//
// Equal for equal (file, seeds), however many threads: holds no wall-clock time, unless the hunt was ended by one.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/plans/plans.h"
#include "format/syntax/document.h"
#include "lab/hunt/hunt.h"
#include "lab/hunt/regression.h"
#include "lab/session/regression_writer.h"

namespace tenure::lab {

struct Finding {
  std::uint64_t seed = 0;
  SavedRegression saved;
  std::uint64_t times = 1;  // cases that failed in the same way
};

// A regression that was replayed before the hunt, or by itself.
struct ReplayedFile {
  sim::Scenario scenario;
  sim::RegressionNote note;  // of the file
  sim::Replayed replayed;
  std::optional<sim::Story> story;  // of its failure
  std::vector<sim::Override> sets;  // what was set over the file
};

// Why a hunt stops where a failure that was kept before is still one.
inline constexpr std::string_view kRegressionFails = "a regression fails";

struct HuntFindings {
  std::string scenario;  // its name
  std::string title;     // what reports call it
  std::string path;
  std::uint64_t first_seed = 0;
  std::optional<std::uint64_t> planned;  // cases; none: as many as there is time for
  std::uint64_t cases = 0;
  std::uint64_t inside = 0;
  std::uint64_t mutated = 0;
  std::uint64_t events = 0;
  std::size_t features = 0;
  std::uint64_t last_new_seed = 0;
  std::map<std::string, std::uint64_t> sometimes;  // how often, zeros included
  std::map<std::string, std::uint64_t> faults;     // strikes, zeros included
  std::map<std::string, std::uint64_t> examined;   // by checker
  std::map<std::string, std::uint64_t> reported;   // cases with violations that were not demanded, by checker
  std::string not_demanded;                        // what the file lists in vain, and why; empty: nothing
  // Of what the file demands: events of `sometimes` that never happened, checkers that never looked.
  std::vector<std::string> demanded_never;
  std::vector<ReplayedFile> regressions;
  std::size_t other_regressions = 0;  // in the folder, of other scenarios, and not replayed
  std::vector<Finding> findings;      // in the order of their seeds
  std::uint64_t failures = 0;         // cases that failed
  std::uint64_t compared = 0;         // cases run twice
  std::string difference;             // between two runs of one case; empty: none
  std::uint64_t difference_seed = 0;
  std::string stopped;  // why before all that was planned; empty: it was not
  bool interrupted = false;
};

// fail, inconclusive (of one that was interrupted, too) or pass; a difference is no verdict.
sim::Verdict verdict_of(const HuntFindings& findings);

}  // namespace tenure::lab
