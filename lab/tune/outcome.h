// What many runs of one setting say together, in integers.
//
//   1. A run is reduced to numbers that can be saved and read again; an outcome is made of those alone, so that what
//      was resumed is what would have been.
//   2. A mean's interval comes from the differences between runs, which are independent, and not between samples,
//      which within a run are not: the ratio estimator of survey sampling (Cochran, "Sampling Techniques", ch. 6).
//      For a number that a run has one of, it is the usual one. Runs without samples say nothing of a mean and are not
//      counted; of few runs the interval is as wide as Student's t makes it, and of one run there is none. Where
//      nothing was counted in any run, it may still happen: up to three times in all of them (Hanley, Lippman-Hand,
//      "If Nothing Goes Wrong, Is Everything All Right?", 1983).
//   3. A percentile's interval is that between two order statistics, with the normal approximation of their ranks; it
//      takes samples of one run as independent. Where there are too few samples above, its end is open.
//
// Thread rule: measure_run is a pure function; one outcome belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/int128.h"
#include "format/plans/tune_setting.h"
#include "lab/tune/setting.h"
#include "sim/runner/judge.h"
#include "sim/runner/result.h"

namespace tenure::lab {

// What is asked of runs: metrics and rates by name, and the checkers that must hold whatever is claimed.
struct TuneQuestions {
  std::vector<std::string> metrics;
  std::vector<std::string> checkers;
};
TuneQuestions questions_of(const format::TuneSetting& tune);

// One run, in numbers.
struct RunNumbers {
  std::uint64_t seed = 0;
  // Of each metric that was asked for, in billionths of its unit. Then, where the setting has a lease to be watched
  // (lease_watch.h): its belief, attempts and renewals.
  std::vector<std::vector<std::int64_t>> values;
  std::vector<std::pair<std::string, std::int64_t>> leaderless_by_cause;  // ns
  std::vector<std::string> broken = {};                                   // checkers that failed
  // Why it is no pass although nothing failed, as in the verdict of `tenure run` (sim/runner/judge.h): checkers, and
  // what there is to say of each.
  std::vector<std::pair<std::string, std::string>> inconclusive = {};
  sim::FaultTally faults = {};
  std::uint64_t strikes = 0;  // faults that struck; one that found nobody to strike is none
  std::int64_t simulated_ns = 0;
  bool operator==(const RunNumbers&) const = default;
};

RunNumbers numbers_of(const sim::RunResult& result, const TuneQuestions& questions);
// Of nothing that was counted in `runs` runs, how often it may happen in them: the upper end of 95 %.
inline constexpr std::int64_t kMostOfNone = 3;
// And of what was counted once, in hundredths.
inline constexpr std::int64_t kMostOfOneCenti = 558;

// Runs the setting. An invariant of ours that breaks is thrown on.
RunNumbers measure_run(const Setting& setting, std::uint64_t seed, const TuneQuestions& questions);

// In billionths of the metric's unit, with its interval of 95 %.
struct Estimate {
  bool known = false;      // there were enough samples
  std::int64_t value = 0;  // nothing without samples
  // Without the first there is no interval: of the least and the most, which are what was seen and no estimate, and of
  // too few samples. Without the second alone it has no upper end: too few samples above.
  std::optional<std::int64_t> low = std::nullopt;
  std::optional<std::int64_t> high = std::nullopt;
  std::uint64_t samples = 0;
  std::uint64_t needed = 1;  // samples; of a mean, runs that have some
};

// The largest integer whose square is at most `value`. REQUIRES: value >= 0.
std::int64_t integer_root(int128 value);

// How many standard errors, in millionths, an interval of 95 % reaches to either side of a mean of so many runs: by
// Student's t, and from thirty runs on by the normal distribution. REQUIRES: runs > 1.
std::int64_t reach_micro(std::uint64_t runs);

// A percentile of samples: nothing but a value where they are too few. REQUIRES: not empty.
Estimate estimate_of_percentile(const sim::Samples& samples, std::int64_t ppm);

// One number of many runs: all its samples, and what each run had of it.
class RunSamples {
 public:
  // What was counted, and not measured: a mean is then `times` / `by` for each hundredth of an event in all runs.
  struct EventScale {
    int128 times = 0;
    int128 by = 1;
    std::int64_t mean_of(std::int64_t centi) const { return detail::narrow(times * centi / by); }
  };

  void add(const std::vector<std::int64_t>& values_of_run);
  const sim::Samples& samples() const { return samples_; }
  Estimate mean(const std::optional<EventScale>& counted = std::nullopt) const;

 private:
  sim::Samples samples_;
  // The sum and the number of each run's samples; of runs that have some.
  std::vector<std::pair<int128, std::int64_t>> runs_;
};

class SettingOutcome {
 public:
  explicit SettingOutcome(const TuneQuestions& questions)
      : questions_(&questions), metrics_(questions.metrics.size()) {}

  void add(const RunNumbers& run);

  std::uint64_t runs() const { return runs_; }
  // The run in which the metric was worst; nullopt: it was not asked for, or not seen.
  std::optional<std::uint64_t> worst_seed(std::string_view metric) const;
  // Faults that struck in all of them.
  std::uint64_t strikes() const { return strikes_; }
  Estimate estimate(const format::TuneMeasure& measure) const;
  // Checkers that failed: in how many runs, and with which seed first.
  struct Broken {
    std::uint64_t runs = 0;
    std::uint64_t first_seed = 0;
  };
  const std::map<std::string, Broken>& broken() const { return broken_; }
  // Why the runs together are no pass although none failed, as a batch of `tenure run` is judged; empty: they are
  // one. What there is to say of `others` does not count.
  std::string why_inconclusive(const sim::Scenario& scenario,
                               const std::vector<std::string>& others = {}) const;
  const std::map<std::string, std::int64_t>& leaderless_by_cause() const { return leaderless_by_cause_; }

 private:
  struct Metric {
    RunSamples values;
    std::optional<std::pair<std::int64_t, std::uint64_t>> worst;  // the value, and the first run that had it
  };
  void see_worst(std::size_t place, const RunNumbers& run);
  // None of what is not counted.
  std::optional<RunSamples::EventScale> scale_of(const std::string& name) const;

  const TuneQuestions* questions_;
  std::uint64_t runs_ = 0;
  std::uint64_t strikes_ = 0;
  int128 simulated_ns_ = 0;
  std::vector<Metric> metrics_;
  std::map<std::string, Broken> broken_;
  struct Inconclusive {
    std::uint64_t runs = 0;
    std::string why;  // in the first of them
  };
  std::map<std::string, Inconclusive> inconclusive_;  // by checker
  sim::FaultTally faults_;
  std::map<std::string, std::int64_t> leaderless_by_cause_;
};

}  // namespace tenure::lab
