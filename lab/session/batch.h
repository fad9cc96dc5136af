// Many seeds of one scenario as one finding: it counts verdicts, pools samples, and keeps the worst seed of each
// metric.
//
// Thresholds are judged over the samples of all runs together. How a single run does against them is in its own
// document and does not count here: a run is counted by its other checks.
//
// Likewise, a fault has to strike in one of the runs, not in each.
//
// Runs are added in the order of their seeds, so the summary does not depend on how many ran at once.
//
// Thread rule: one batch belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/runner/judge.h"
#include "sim/runner/result.h"
#include "sim/scenario/names.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

class Batch {
 public:
  // One metric over all runs. A distribution pools its samples; any other has one value a run, in billionths.
  struct Pool {
    const sim::MetricName* metric = nullptr;
    sim::Samples samples;  // seconds; counts and rates as if one unit were a second
    // Of equal runs, the first.
    std::uint64_t lowest_seed = 0;
    std::uint64_t highest_seed = 0;
    std::uint64_t worst_seed() const { return metric->low_is_bad ? lowest_seed : highest_seed; }
    std::vector<sim::WorstSample> worst;  // of the run with worst_seed(), as far as the run has them
  };
  // The run that misses a threshold by most, and its value, in billionths.
  struct Worst {
    std::uint64_t seed = 0;
    std::int64_t nano = 0;
  };
  struct JudgedThreshold {
    sim::CheckResult check;
    const sim::MetricName* metric = nullptr;
    std::optional<Worst> worst;  // when it failed
  };
  struct FailedRun {
    std::uint64_t seed = 0;
    std::string what;  // the checks that failed
  };

  explicit Batch(const sim::Scenario& scenario);

  void add(const sim::RunResult& result);

  // The batch ends before all of its `planned` runs are done.
  void cut_short(std::uint64_t planned) { cut_short_of_ = planned; }
  // How many runs were planned; nullopt when it was not interrupted.
  std::optional<std::uint64_t> cut_short_of() const { return cut_short_of_; }

  // Judges thresholds over the pooled samples; empty when the scenario has none.
  std::vector<JudgedThreshold> judge_thresholds() const;
  // Faults of the file that struck in none of the runs.
  std::vector<sim::CheckResult> judge_faults() const { return struck_.judge(scenario_); }
  // Violations that the file does not ask about, by checker: in how many runs, and the first of them.
  struct Unasked {
    std::string checker;
    std::string what;  // "two led for 13.557s"
    std::uint64_t seed = 0;
    std::uint64_t runs = 0;
  };
  const std::vector<Unasked>& unasked() const { return unasked_; }
  // All runs were the same but for their seeds: no draw made a difference, and they show no more than one.
  bool are_alike() const { return runs_ > 1 && !differ_; }
  // Of runs, thresholds and faults together. A batch that was cut short is at best inconclusive.
  sim::Verdict verdict() const;
  // Of one run, without its own thresholds and faults.
  sim::Verdict verdict_of(const sim::RunResult& result) const;

  const sim::Scenario& scenario() const { return scenario_; }
  std::uint64_t runs() const { return runs_; }
  // Runs by verdict_of().
  std::uint64_t count(sim::Verdict verdict) const { return counts_[static_cast<std::size_t>(verdict)]; }
  std::uint64_t first_seed() const { return first_seed_; }
  std::uint64_t last_seed() const { return last_seed_; }
  // The metrics that were observed, in the order of sim/scenario/names.h.
  std::vector<Pool> pools() const;
  // The first few runs that are not a pass; failures_total() counts them all.
  const std::vector<FailedRun>& failures() const { return failures_; }
  std::uint64_t failures_total() const {
    return count(sim::Verdict::fail) + count(sim::Verdict::inconclusive);
  }

 private:
  const sim::Scenario& scenario_;
  std::uint64_t runs_ = 0;
  std::uint64_t counts_[3] = {0, 0, 0};
  std::uint64_t first_seed_ = 0;
  std::uint64_t last_seed_ = 0;
  std::optional<std::uint64_t> cut_short_of_;
  std::vector<Pool> pools_;
  std::vector<FailedRun> failures_;
  std::vector<Unasked> unasked_;
  sim::FaultTally struck_;
  std::optional<sim::RunResult> first_;  // without what its seed is in
  bool differ_ = false;
};

}  // namespace tenure::lab
