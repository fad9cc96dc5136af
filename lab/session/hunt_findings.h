// What a hunt found in one scenario.
//
// The same file and seeds give the same findings, with any number of threads. They hold no wall-clock time, unless a
// time limit ended the hunt.
//
// Thread rule: values; pure functions.
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
  std::uint64_t times = 1;  // how many cases failed in the same way
};

// A regression that was replayed before the hunt, or by itself.
struct ReplayedFile {
  sim::Scenario scenario;
  format::RegressionNote note;  // the file's [regression]
  Replayed replayed;
  std::optional<sim::Story> story;     // of its failure
  std::vector<format::Override> sets;  // --set over the file
};

// Why a hunt stops when a saved regression still fails.
inline constexpr std::string_view kRegressionFails = "a regression fails";

struct HuntFindings {
  std::string scenario;  // its name
  std::string title;     // what reports call it
  std::string path;
  std::uint64_t first_seed = 0;
  std::optional<std::uint64_t> planned;  // cases; nullopt: as many as there is time for
  std::uint64_t cases = 0;
  std::uint64_t inside = 0;
  std::uint64_t mutated = 0;
  std::uint64_t events = 0;
  std::size_t features = 0;
  std::uint64_t last_new_seed = 0;
  std::map<std::string, std::uint64_t> sometimes;  // how often each happened, zeros included
  std::map<std::string, std::uint64_t> faults;     // strikes, zeros included
  std::map<std::string, std::uint64_t> examined;   // by checker
  std::map<std::string, std::uint64_t> reported;   // cases with violations that were not demanded, by checker
  std::vector<std::string> unclaimed;              // of these, what neither the file nor any claim is about
  std::string not_demanded;  // what the file lists without effect, and why; empty: nothing
  // What is demanded and was never seen: events of `sometimes`, an opportunity of a checker, a strike of a fault of the
  // file, a leader, two cases that differ.
  std::vector<std::string> demanded_never;
  std::vector<ReplayedFile> regressions;
  std::size_t other_regressions = 0;  // in the folder, for other scenarios, not replayed
  std::vector<Finding> findings;      // in the order of their seeds
  std::uint64_t failures = 0;         // cases that failed
  std::uint64_t compared = 0;         // cases run twice
  std::string difference;             // between two runs of one case; empty: none
  std::uint64_t difference_seed = 0;
  std::string stopped;  // why the hunt ended before all planned cases; empty: it did not
  bool interrupted = false;
};

// What all cases of the hunt did together, and what of its demands no case has shown.
void totals_are(HuntFindings& findings, const HuntTotals& totals, const format::ScenarioFile& file);

// fail, inconclusive (also if it was interrupted) or pass. A difference between two runs is no verdict.
sim::Verdict verdict_of(const HuntFindings& findings);

}  // namespace tenure::lab
