#include "sim/tune/outcome.h"

#include <algorithm>

#include "core/base/check.h"
#include "sim/runner/run.h"
#include "sim/runner/thresholds.h"
#include "sim/tune/lease_watch.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kOneBeliever = "one-believer";
constexpr std::int64_t kWhole = 1'000'000;
constexpr std::int64_t kBillion = 1'000'000'000;
constexpr std::int64_t kDayNs = 86'400 * kBillion;
constexpr std::int64_t kZ95Micro = 1'959'964;  // of the normal distribution

bool lists(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_new(const std::string& name, std::vector<std::string>& names) {
  if (!lists(names, name)) names.push_back(name);
}

std::vector<std::int64_t> values_of(const std::string& metric, const RunResult& result) {
  const std::int64_t simulated = std::max<std::int64_t>(result.simulated.ns(), 1);
  const Metrics& metrics = result.metrics;
  if (metric == "false_failovers_per_day")
    return {detail::narrow(int128{metrics.false_failovers} * kBillion * kDayNs / simulated)};
  if (metric == "leaderless_share") return {mul_div_floor(metrics.leaderless.ns(), kBillion, simulated)};
  std::vector<std::int64_t> values;
  for (const Duration value : samples_of(metric, metrics, result.simulated).values())
    values.push_back(value.ns());
  return values;
}

RunNumbers measure_lease(const Setting& setting, std::uint64_t seed, const TuneQuestions& questions) {
  const Scenario scenario = scenario_of(setting, seed);
  LeaseWatch watch(*setting.watched, scenario.start_ns);
  RunNumbers numbers = numbers_of(run(scenario, seed, {.trace = &watch, .story = false}), questions);
  const auto add = [&](std::optional<std::int64_t> value) {
    numbers.values.emplace_back();
    if (value) numbers.values.back().push_back(*value);
  };
  const std::optional<Duration> belief = watch.belief();
  add(belief ? std::optional(belief->ns()) : std::nullopt);
  add(belief ? std::optional(watch.attempts()) : std::nullopt);
  add(watch.renewals());
  return numbers;
}

}  // namespace

TuneQuestions questions_of(const TuneSetting& tune) {
  TuneQuestions questions;
  for (const TuneObjective& objective : tune.objectives) add_new(objective.measure.metric, questions.metrics);
  for (const TuneConstraint& constraint : tune.constraints)
    if (constraint.measure)
      add_new(constraint.measure->metric, questions.metrics);
    else
      add_new(constraint.text, questions.checkers);
  // What is recommended must not have two leaders, unless the file asks for something else.
  if (questions.checkers.empty()) questions.checkers.emplace_back(kOneBeliever);
  return questions;
}

RunNumbers numbers_of(const RunResult& result, const TuneQuestions& questions) {
  RunNumbers numbers;
  numbers.seed = result.seed;
  for (const std::string& metric : questions.metrics) numbers.values.push_back(values_of(metric, result));
  for (const auto& [cause, length] : result.metrics.leaderless_by_cause)
    numbers.leaderless_by_cause.emplace_back(cause, length.ns());
  for (const CheckResult& check : result.checks) {
    const bool counts = check.demanded || lists(questions.checkers, check.name);
    if (check.verdict == Verdict::fail && counts) numbers.broken.push_back(check.name);
    if (check.opportunities == 0 && lists(questions.checkers, check.name)) numbers.idle.push_back(check.name);
  }
  return numbers;
}

RunNumbers measure_run(const Setting& setting, std::uint64_t seed, const TuneQuestions& questions) {
  if (setting.watched) return measure_lease(setting, seed, questions);
  constexpr RunOptions kQuiet = {.trace = nullptr, .story = false};
  if (!setting.moment) return numbers_of(run(setting.scenario, seed, kQuiet), questions);
  return numbers_of(run(scenario_of(setting, seed), seed, kQuiet), questions);
}

std::int64_t integer_root(int128 value) {
  CHECK(value >= 0, "a negative number has no root");
  int128 low = 0;
  int128 high = int128{INT64_MAX};
  while (low < high) {
    const int128 middle = (low + high + 1) / 2;
    if (middle * middle <= value)
      low = middle;
    else
      high = middle - 1;
  }
  return static_cast<std::int64_t>(low);
}

void Outcome::add(const RunNumbers& run) {
  CHECK(run.values.size() == metrics_.size(), "a run answers what was asked");
  ++runs_;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    int128 sum = 0;
    for (const std::int64_t value : run.values[i]) {
      metrics_[i].samples.add(Duration::nanos(value));
      sum += value;
    }
    metrics_[i].runs.emplace_back(sum, static_cast<std::int64_t>(run.values[i].size()));
  }
  for (const auto& [cause, length] : run.leaderless_by_cause) leaderless_by_cause_[cause] += length;
  for (const std::string& checker : run.broken) {
    Broken& broken = broken_[checker];
    if (broken.runs++ == 0) broken.first_seed = run.seed;
  }
  for (const std::string& checker : run.idle) ++idle_[checker];
}

std::optional<std::string> Outcome::never_examined() const {
  for (const auto& [checker, runs] : idle_)
    if (runs == runs_) return checker;
  return std::nullopt;
}

Estimate Outcome::mean_of(const Metric& metric) const {
  const auto count = static_cast<int128>(metric.samples.count());
  const std::int64_t mean = metric.samples.mean().ns();
  // The squares of what each run's sum is beside what so many samples of the mean would be; in units in which the
  // product of the largest that are met (1e15 ns, 1e6 runs) stays far below 2^127.
  int128 squares = 0;
  for (const auto& [sum, samples] : metric.runs) {
    const int128 off = sum - int128{mean} * samples;
    squares += off * off;
  }
  const auto runs = static_cast<int128>(metric.runs.size());
  const int128 variance = runs > 1 ? squares / (runs - 1) * runs : 0;
  const std::int64_t error =
      count > 0 ? static_cast<std::int64_t>(int128{integer_root(variance)} * kZ95Micro / kWhole / count) : 0;
  return {count > 0, mean, mean - error, mean + error, false, metric.samples.count()};
}

Estimate Outcome::estimate(const TuneMeasure& measure) const {
  const auto at = std::find(questions_->metrics.begin(), questions_->metrics.end(), measure.metric);
  CHECK(at != questions_->metrics.end(), "what is estimated was asked for");
  const Metric& metric = metrics_[static_cast<std::size_t>(at - questions_->metrics.begin())];
  const Samples& samples = metric.samples;
  const auto flat = [&](Duration value) {
    return Estimate{!samples.empty(), value.ns(), value.ns(), value.ns(), false, samples.count()};
  };
  switch (measure.statistic) {
    case TuneMeasure::Statistic::mean: return mean_of(metric);
    case TuneMeasure::Statistic::min: return flat(samples.min());
    case TuneMeasure::Statistic::max: return flat(samples.max());
    case TuneMeasure::Statistic::percentile: break;
  }
  const std::int64_t ppm = measure.percentile_ppm;
  Estimate estimate = flat(samples.percentile(ppm));
  estimate.known = samples.count() >= samples_needed(ppm);
  if (samples.empty()) return estimate;
  const int128 spread = int128{ppm} * (kWhole - ppm) / static_cast<int128>(samples.count());
  const std::int64_t half = mul_div_ceil(integer_root(spread), kZ95Micro, kWhole);
  estimate.open = ppm + half >= kWhole;
  estimate.low = samples.percentile(std::max<std::int64_t>(ppm - half, 0)).ns();
  estimate.high = samples.percentile(std::min(ppm + half, kWhole)).ns();
  return estimate;
}

}  // namespace tenure::sim
