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
#include <utility>
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

  // Violations that the file does not ask about, by checker: in how many runs, and the first of them.
  struct Unasked {
    std::string checker;
    std::string what;  // "two led for 13.557s"
    std::uint64_t seed = 0;
    std::uint64_t runs = 0;
  };
  // All that a batch knows besides its scenario: written to a file and read back (kept_json.h).
  struct State {
    std::uint64_t runs = 0;
    std::uint64_t counts[3] = {0, 0, 0};  // by verdict
    std::uint64_t first_seed = 0;
    std::uint64_t last_seed = 0;
    std::vector<Pool> pools;
    std::vector<FailedRun> failures;
    std::vector<Unasked> unasked;
    sim::FaultTally struck;
    std::uint64_t alike = 0;  // what happened in the first run, but for its seed, as a hash
    bool differ = false;      // something else happened in another
  };

  explicit Batch(const sim::Scenario& scenario);
  // REQUIRES: `state` is that of a batch of this scenario.
  Batch(const sim::Scenario& scenario, State state) : scenario_(scenario), state_(std::move(state)) {}

  void add(const sim::RunResult& result);
  // The runs of seeds after these: as if each had been added here.
  void append(const Batch& later);

  const State& state() const { return state_; }

  // The batch ends before all of its `planned` runs are done.
  void cut_short(std::uint64_t planned) { cut_short_of_ = planned; }
  // How many runs were planned; nullopt when it was not interrupted.
  std::optional<std::uint64_t> cut_short_of() const { return cut_short_of_; }

  // Judges thresholds over the pooled samples; empty when the scenario has none.
  std::vector<JudgedThreshold> judge_thresholds() const;
  // Faults of the file that struck in none of the runs.
  std::vector<sim::CheckResult> judge_faults() const { return state_.struck.judge(scenario_); }
  const std::vector<Unasked>& unasked() const { return state_.unasked; }
  // All runs were the same but for their seeds: no draw made a difference, and they show no more than one.
  bool are_alike() const { return state_.runs > 1 && !state_.differ; }
  // Of runs, thresholds and faults together. A batch that was cut short is at best inconclusive.
  sim::Verdict verdict() const;
  // Of one run, without its own thresholds and faults.
  sim::Verdict verdict_of(const sim::RunResult& result) const;

  const sim::Scenario& scenario() const { return scenario_; }
  std::uint64_t runs() const { return state_.runs; }
  // Runs by verdict_of().
  std::uint64_t count(sim::Verdict verdict) const { return state_.counts[static_cast<std::size_t>(verdict)]; }
  std::uint64_t first_seed() const { return state_.first_seed; }
  std::uint64_t last_seed() const { return state_.last_seed; }
  // The metrics that were observed, in the order of sim/scenario/names.h.
  std::vector<Pool> pools() const;
  // The first few runs that are not a pass; failures_total() counts them all.
  const std::vector<FailedRun>& failures() const { return state_.failures; }
  std::uint64_t failures_total() const {
    return count(sim::Verdict::fail) + count(sim::Verdict::inconclusive);
  }

 private:
  void add_unasked(const Unasked& seen);

  const sim::Scenario& scenario_;
  State state_;
  std::optional<std::uint64_t> cut_short_of_;
};

}  // namespace tenure::lab
