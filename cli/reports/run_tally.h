// The runs of one scenario as a suite: each check with the worst that a run said of it, and the first run that did.
//
// Thread rule: one tally belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/reports/suite.h"
#include "lab/session/batch.h"
#include "sim/scenario/scenario.h"

namespace tenure::cli {

class RunTally {
 public:
  // `batch`: thresholds are judged over all runs, and what a run alone says to them does not count.
  RunTally(const sim::Scenario& scenario, bool batch) : scenario_(scenario), batch_(batch) {}

  void add(const sim::RunResult& result);
  // A run that an internal error ended.
  void add_broken(std::uint64_t seed, const std::string& what, const std::string& reproduce);
  // A run that was made twice; `difference` is empty when there was none.
  void add_compared(std::uint64_t seed, const std::string& difference, const std::string& reproduce);

  std::uint64_t runs() const { return runs_; }
  // After the last of `planned` runs, or after those that were done. `batch` is null for a run that stands alone.
  Suite suite(std::uint64_t planned, const lab::Batch* batch, const std::string& reproduce_prefix) const;

 private:
  struct Entry {
    SuiteCase worst;
    std::uint64_t times = 0;  // runs that said it
  };
  // Keeps the worst, of equals the first.
  void note(SuiteCase said);
  void see_seed(std::uint64_t seed);
  SuiteCase case_of(const sim::CheckResult& check, std::string name, const sim::RunResult& result) const;
  void add_thresholds(const lab::Batch& batch, const std::string& reproduce_prefix, Suite& suite) const;

  const sim::Scenario& scenario_;
  const bool batch_;
  std::uint64_t runs_ = 0;
  std::uint64_t first_seed_ = 0;
  std::uint64_t last_seed_ = 0;
  std::vector<Entry> entries_;  // in the order of the first run's checks
  struct FaultEntry {
    std::string action;
    bool struck = false;
  };
  std::map<std::uint64_t, FaultEntry> faults_;  // by their place in the file
};

}  // namespace tenure::cli
