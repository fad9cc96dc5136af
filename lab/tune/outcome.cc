#include "lab/tune/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/check.h"
#include "lab/tune/lease_watch.h"
#include "sim/runner/run.h"
#include "sim/runner/thresholds.h"
#include "sim/scenario/names.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kOneBeliever = "one-believer";
constexpr std::string_view kFalseFailoversPerDay = "false_failovers_per_day";
constexpr std::int64_t kWhole = 1'000'000;
constexpr std::int64_t kBillion = 1'000'000'000;
constexpr int128 kBillionthsOfCenti = kBillion / 100;  // of an event
constexpr std::int64_t kDayNs = 86'400 * kBillion;
constexpr std::int64_t kZ95Micro = 1'959'964;  // of the normal distribution
// The exact interval of 95 % of a Poisson mean of which so many events were seen (Garwood 1936); of none, its upper
// end.
struct FewEvents {
  std::int64_t least;
  std::int64_t most;
};
constexpr FewEvents kFewEventsCenti[] = {{0, kMostOfNone * 100},
                                         {2, kMostOfOneCenti},
                                         {24, 723},
                                         {61, 877},
                                         {108, 1025},
                                         {162, 1167},
                                         {220, 1306},
                                         {281, 1443},
                                         {345, 1577},
                                         {411, 1709},
                                         {479, 1840}};
// Of Student's, for 1 to 29 degrees of freedom.
constexpr std::int64_t kT95Micro[] = {12'706'205, 4'302'653, 3'182'446, 2'776'445, 2'570'582, 2'446'912,
                                      2'364'624,  2'306'004, 2'262'157, 2'228'139, 2'200'985, 2'178'813,
                                      2'160'369,  2'144'787, 2'131'450, 2'119'905, 2'109'816, 2'100'922,
                                      2'093'024,  2'085'963, 2'079'614, 2'073'873, 2'068'658, 2'063'899,
                                      2'059'539,  2'055'529, 2'051'831, 2'048'407, 2'045'230};

bool low_is_bad(std::string_view metric) {
  return std::any_of(std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
                     [&](const sim::MetricName& known) { return known.name == metric && known.low_is_bad; });
}

bool lists(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_new(const std::string& name, std::vector<std::string>& names) {
  if (!lists(names, name)) names.push_back(name);
}

std::vector<std::int64_t> values_of(const std::string& metric, const sim::RunResult& result) {
  const std::int64_t simulated = std::max<std::int64_t>(result.simulated.ns(), 1);
  const sim::Metrics& metrics = result.metrics;
  if (metric == kFalseFailoversPerDay)
    return {detail::narrow(int128{metrics.false_failovers} * kBillion * kDayNs / simulated)};
  if (metric == "leaderless_share") return {mul_div_floor(metrics.leaderless.ns(), kBillion, simulated)};
  std::vector<std::int64_t> values;
  for (const Duration value : sim::samples_of(metric, metrics, result.simulated).values())
    values.push_back(value.ns());
  return values;
}

RunNumbers measure_lease(const Setting& setting, std::uint64_t seed, const TuneQuestions& questions) {
  const sim::Scenario scenario = scenario_of(setting, seed);
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

TuneQuestions questions_of(const format::TuneSetting& tune) {
  TuneQuestions questions;
  for (const format::TuneObjective& objective : tune.objectives)
    add_new(objective.measure.metric, questions.metrics);
  for (const format::TuneConstraint& constraint : tune.constraints)
    if (constraint.measure)
      add_new(constraint.measure->metric, questions.metrics);
    else
      add_new(constraint.text, questions.checkers);
  // What is recommended must not have two leaders, unless the file asks for something else.
  if (questions.checkers.empty()) questions.checkers.emplace_back(kOneBeliever);
  return questions;
}

RunNumbers numbers_of(const sim::RunResult& result, const TuneQuestions& questions) {
  RunNumbers numbers;
  numbers.seed = result.seed;
  numbers.simulated_ns = result.simulated.ns();
  for (const std::string& metric : questions.metrics) numbers.values.push_back(values_of(metric, result));
  for (const auto& [cause, length] : result.metrics.leaderless_by_cause)
    numbers.leaderless_by_cause.emplace_back(cause, length.ns());
  for (const sim::CheckResult& check : result.checks) {
    if (!sim::is_judged_by_run(check)) continue;
    const bool counts = check.demanded || lists(questions.checkers, check.name);
    if (counts && check.verdict == sim::Verdict::fail)
      numbers.broken.push_back(check.name);
    else if (!check.unasked.empty())
      numbers.inconclusive.emplace_back(check.name, check.unasked);
    else if (counts && check.verdict == sim::Verdict::inconclusive)
      numbers.inconclusive.emplace_back(check.name, check.name + " " + check.detail);
  }
  numbers.faults.add(result.faults);
  for (const sim::FaultRun& fault : result.faults) numbers.strikes += fault.skipped.empty() ? 1 : 0;
  return numbers;
}

RunNumbers measure_run(const Setting& setting, std::uint64_t seed, const TuneQuestions& questions) {
  if (setting.watched) return measure_lease(setting, seed, questions);
  constexpr sim::RunOptions kQuiet = {.trace = nullptr, .story = false};
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

std::int64_t reach_micro(std::uint64_t runs) {
  CHECK(runs > 1, "a single run has no interval");
  return runs - 2 < std::size(kT95Micro) ? kT95Micro[runs - 2] : kZ95Micro;
}

void SettingOutcome::add(const RunNumbers& run) {
  CHECK(run.values.size() == metrics_.size(), "a run answers what was asked");
  ++runs_;
  strikes_ += run.strikes;
  simulated_ns_ += run.simulated_ns;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    metrics_[i].values.add(run.values[i]);
    if (!run.values[i].empty()) see_worst(i, run);
  }
  for (const auto& [cause, length] : run.leaderless_by_cause) leaderless_by_cause_[cause] += length;
  for (const std::string& checker : run.broken) {
    Broken& broken = broken_[checker];
    if (broken.runs++ == 0) broken.first_seed = run.seed;
  }
  for (const auto& [checker, why] : run.inconclusive) {
    Inconclusive& known = inconclusive_[checker];
    if (known.runs++ == 0) known.why = why;
  }
  faults_.add(run.faults);
}

void SettingOutcome::see_worst(std::size_t place, const RunNumbers& run) {
  const bool low = low_is_bad(questions_->metrics[place]);
  const auto [least, most] = std::minmax_element(run.values[place].begin(), run.values[place].end());
  const std::int64_t value = low ? *least : *most;
  std::optional<std::pair<std::int64_t, std::uint64_t>>& worst = metrics_[place].worst;
  if (!worst || (low ? value < worst->first : value > worst->first)) worst = {value, run.seed};
}

std::optional<std::uint64_t> SettingOutcome::worst_seed(std::string_view metric) const {
  const auto at = std::find(questions_->metrics.begin(), questions_->metrics.end(), metric);
  if (at == questions_->metrics.end()) return std::nullopt;
  const auto& worst = metrics_[static_cast<std::size_t>(at - questions_->metrics.begin())].worst;
  return worst ? std::optional(worst->second) : std::nullopt;
}

std::string SettingOutcome::why_inconclusive(const sim::Scenario& scenario,
                                             const std::vector<std::string>& others) const {
  for (const auto& [checker, known] : inconclusive_)
    if (!lists(others, checker)) return fmt::format("{} in {} of {} runs", known.why, known.runs, runs_);
  for (const sim::CheckResult& fault : faults_.judge(scenario))
    return fmt::format("{} {}", fault.name, fault.detail);
  return {};
}

std::optional<RunSamples::EventScale> SettingOutcome::scale_of(const std::string& name) const {
  if (name == kFalseFailoversPerDay && simulated_ns_ > 0)
    return RunSamples::EventScale{kBillionthsOfCenti * kDayNs, simulated_ns_};
  const bool counts = std::any_of(std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
                                  [&](const sim::MetricName& metric) {
                                    return metric.name == name && metric.unit == sim::MetricName::Unit::count;
                                  });
  if (!counts) return std::nullopt;
  return RunSamples::EventScale{kBillionthsOfCenti, static_cast<std::int64_t>(runs_)};
}

void RunSamples::add(const std::vector<std::int64_t>& values_of_run) {
  if (values_of_run.empty()) return;
  int128 sum = 0;
  for (const std::int64_t value : values_of_run) {
    samples_.add(Duration::nanos(value));
    sum += value;
  }
  runs_.emplace_back(sum, static_cast<std::int64_t>(values_of_run.size()));
}

Estimate RunSamples::mean(const std::optional<EventScale>& counted) const {
  constexpr std::uint64_t kFewestRuns = 2;
  Estimate estimate{.samples = samples_.count(), .needed = kFewestRuns};
  if (samples_.empty()) return estimate;
  estimate.value = samples_.mean().ns();
  if (runs_.size() < kFewestRuns) return estimate;
  // The squares of what each run's sum is beside what so many samples of the mean would be; in units in which the
  // product of the largest that are met (1e15 ns, 1e6 runs) stays far below 2^127.
  int128 squares = 0;
  for (const auto& [sum, samples] : runs_) {
    const int128 off = sum - int128{estimate.value} * samples;
    squares += off * off;
  }
  const auto runs = static_cast<int128>(runs_.size());
  const auto error =
      static_cast<std::int64_t>(int128{integer_root(squares / (runs - 1) * runs)} *
                                reach_micro(runs_.size()) / kWhole / static_cast<int128>(estimate.samples));
  estimate.known = true;
  estimate.low = estimate.value - error;
  estimate.high = estimate.value + error;
  if (samples_.min() >= Duration{}) estimate.low = std::max<std::int64_t>(*estimate.low, 0);
  const std::int64_t one = counted ? counted->mean_of(100) : 0;
  if (one == 0) return estimate;
  // What differs between runs says little of events that are rare: a handful may as well have been none, or two.
  const auto events = static_cast<std::size_t>((estimate.value + one / 2) / one);
  if (events >= std::size(kFewEventsCenti)) return estimate;
  estimate.low = std::min(*estimate.low, counted->mean_of(kFewEventsCenti[events].least));
  estimate.high = std::max(*estimate.high, counted->mean_of(kFewEventsCenti[events].most));
  return estimate;
}

Estimate SettingOutcome::estimate(const format::TuneMeasure& measure) const {
  const auto at = std::find(questions_->metrics.begin(), questions_->metrics.end(), measure.metric);
  CHECK(at != questions_->metrics.end(), "what is estimated was asked for");
  const Metric& metric = metrics_[static_cast<std::size_t>(at - questions_->metrics.begin())];
  const sim::Samples& samples = metric.values.samples();
  const auto seen = [&](Duration value) {
    return Estimate{.known = !samples.empty(), .value = value.ns(), .samples = samples.count()};
  };
  switch (measure.statistic) {
    case format::TuneMeasure::Statistic::mean: return metric.values.mean(scale_of(measure.metric));
    case format::TuneMeasure::Statistic::min: return seen(samples.min());
    case format::TuneMeasure::Statistic::max: return seen(samples.max());
    case format::TuneMeasure::Statistic::percentile: break;
  }
  if (samples.empty()) return seen({});
  return estimate_of_percentile(samples, measure.percentile_ppm);
}

Estimate estimate_of_percentile(const sim::Samples& samples, std::int64_t ppm) {
  Estimate estimate{
      .value = samples.percentile(ppm).ns(), .samples = samples.count(), .needed = sim::samples_needed(ppm)};
  estimate.known = samples.count() >= estimate.needed;
  if (!estimate.known) return estimate;
  const int128 spread = int128{ppm} * (kWhole - ppm) / static_cast<int128>(samples.count());
  const std::int64_t half = mul_div_ceil(integer_root(spread), kZ95Micro, kWhole);
  estimate.low = samples.percentile(std::max<std::int64_t>(ppm - half, 0)).ns();
  if (ppm + half < kWhole) estimate.high = samples.percentile(ppm + half).ns();
  return estimate;
}

}  // namespace tenure::lab
