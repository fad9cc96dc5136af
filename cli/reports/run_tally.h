// The runs of one scenario as a suite: each check with the worst that a run said of it, and the first run that did.
//
// Thread rule: one tally belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reports/suite.h"
#include "lab/session/batch.h"
#include "sim/scenario/scenario.h"

namespace tenure::cli {

class RunTally {
 public:
  // What is known of one check: the worst that a run said of it, the first of equals.
  struct Entry {
    SuiteCase worst;
    std::uint64_t times = 0;  // runs that said it
  };
  struct FaultEntry {
    std::string action;
    bool struck = false;
  };
  // All that a tally knows besides its scenario: written to a file and read back by text_of() and read_tally().
  struct State {
    std::uint64_t runs = 0;
    std::uint64_t first_seed = 0;
    std::uint64_t last_seed = 0;
    std::vector<Entry> entries;                  // in the order of the first run's checks
    std::map<std::uint64_t, FaultEntry> faults;  // by their place in the file
  };

  // `batch`: thresholds are judged over all runs, and what a run alone says to them does not count.
  RunTally(const sim::Scenario& scenario, bool batch) : scenario_(scenario), batch_(batch) {}

  void add(const sim::RunResult& result);
  // A run that an internal error ended.
  void add_broken(std::uint64_t seed, const std::string& what, const std::string& reproduce);
  // A run that was made twice; `difference` is empty when there was none.
  void add_compared(std::uint64_t seed, const std::string& difference, const std::string& reproduce);

  // The runs of seeds after these: as if each had been added here.
  void append(const State& later);
  const State& state() const { return state_; }

  std::uint64_t runs() const { return state_.runs; }
  // After the last of `planned` runs, or after those that were done. `batch` is null for a run that stands alone.
  Suite suite(std::uint64_t planned, const lab::Batch* batch, const std::string& reproduce_prefix) const;

 private:
  // Keeps the worst, of equals the first.
  void note(SuiteCase said, std::uint64_t times = 1);
  void see_seed(std::uint64_t seed);
  SuiteCase case_of(const sim::CheckResult& check, std::string name, const sim::RunResult& result) const;
  void add_thresholds(const lab::Batch& batch, const std::string& reproduce_prefix, Suite& suite) const;

  const sim::Scenario& scenario_;
  const bool batch_;
  State state_;
};

// A line of text (JSON).
std::string text_of(const RunTally::State& state);
// Nullopt: it is none.
std::optional<RunTally::State> read_tally(std::string_view text);

}  // namespace tenure::cli
