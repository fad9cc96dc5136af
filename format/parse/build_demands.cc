// What [tune] demands: objectives that have samples, and constraints that can be kept, can be missed, and do not
// contradict each other.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "format/parse/build.h"
#include "format/syntax/suggest.h"
#include "format/syntax/thresholds.h"
#include "format/syntax/tune_values.h"
#include "sim/scenario/names.h"

namespace tenure::format {
namespace {

constexpr std::string_view kDefaultObjectives[] = {"failover_seconds.p99", "false_failovers_per_day",
                                                   "store_requests_per_second", "leaderless_share"};

// Measures that this scenario can never have samples of.
std::string why_never(const TuneMeasure& measure, const sim::Scenario& scenario) {
  if (scenario.scheduler == nullptr && (measure.metric == "fire_lateness_seconds" ||
                                        measure.metric == "fires" || measure.metric == "skipped_slots"))
    return "there is no scheduler";
  const bool counts_faults = measure.metric == "failover_seconds" || measure.metric == "failovers";
  if (counts_faults && scenario.faults.empty()) return "no [[fault]] ends a leadership";
  return {};
}

void judge_measure(const TuneMeasure& measure, const Place& place, Build& build) {
  const std::string why = build.cluster_known ? why_never(measure, build.scenario) : std::string{};
  if (!why.empty())
    build.diagnostics.add(place, fmt::format("`{}` never has a sample here: {}", measure.text, why));
}

bool is_good_when_large(std::string_view name) {
  return std::any_of(std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
                     [&](const sim::MetricName& metric) { return metric.name == name && metric.low_is_bad; });
}

// ---- constraints -----------------------------------------------------------------------------------------

// Between which ends a measure lies, whatever happens; in billionths.
struct Limits {
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;
};

Limits limits_of(const TuneMeasure& measure) {
  constexpr std::int64_t kWhole = 1'000'000'000;
  if (measure.metric == "leaderless_share") return {0, kWhole};
  const bool negative = std::any_of(
      std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
      [&](const sim::MetricName& metric) { return metric.name == measure.metric && metric.may_be_negative; });
  return negative ? Limits{} : Limits{0, INT64_MAX};
}

// A bound that no setting can keep, or that none can miss, says something else than was meant.
// False, with an error.
bool is_within_limits(const TuneConstraint& constraint, const Place& place, Build& build) {
  const Limits limits = limits_of(*constraint.measure);
  const std::int64_t bound = constraint.bound_nano;
  const bool equal_counts = constraint.or_equal;
  const bool below_all = bound < limits.low || (bound == limits.low && equal_counts != constraint.less);
  const bool above_all = bound > limits.high || (bound == limits.high && equal_counts == constraint.less);
  if (!below_all && !above_all) return true;
  const bool never = constraint.less ? below_all : above_all;
  build.diagnostics.add(
      place, fmt::format("`{}` {}", constraint.text, never ? "can never hold" : "always holds"),
      limits.high == INT64_MAX ? fmt::format("{} is never below 0", constraint.measure->metric)
                               : fmt::format("{} is a part of the whole, between 0 and 1: 0.05 is 5 %",
                                             constraint.measure->metric));
  return false;
}

void build_bound(const Word& word, TuneSetting& setting, Build& build) {
  const std::size_t at = word.text.find_first_of("<>");
  std::string name = word.text.substr(0, at);
  while (name.ends_with(' ')) name.pop_back();
  Parsed<TuneMeasure> measure = parse_measure(name);
  // The comparison and the number are those of a threshold.
  const Parsed<sim::Threshold> threshold = parse_threshold("", "mean " + word.text.substr(at));
  if (!measure.value) {
    build.diagnostics.add(word.place, measure.problem, measure.hint);
    return;
  }
  if (!threshold.value) {
    build.diagnostics.add(word.place, fmt::format("`{}` has no number", printable(word.text, 60)),
                          "of at most nine digits behind the point, like \"failover_seconds.p99 < 20\"");
    return;
  }
  judge_measure(*measure.value, word.place, build);
  TuneConstraint constraint;
  constraint.text = measure.value->text + threshold.value->text.substr(4);
  constraint.measure = std::move(*measure.value);
  constraint.less = threshold.value->less;
  constraint.or_equal = threshold.value->or_equal;
  constraint.bound_nano = threshold.value->bound_nano;
  constraint.place = place_of(word.place);
  if (is_within_limits(constraint, word.place, build)) setting.constraints.push_back(std::move(constraint));
}

// A statistic's place in the order of all; a mean has none but between the ends.
std::int64_t order_of(const TuneMeasure& measure) {
  switch (measure.statistic) {
    case TuneMeasure::Statistic::min: return 0;
    case TuneMeasure::Statistic::max: return 1'000'000;
    case TuneMeasure::Statistic::percentile: return measure.percentile_ppm;
    case TuneMeasure::Statistic::mean: break;
  }
  return -1;
}

// `low` is never more than `high`, whatever the samples.
bool never_above(const TuneMeasure& low, const TuneMeasure& high) {
  if (low.metric != high.metric) return false;
  if (low == high) return true;
  const std::int64_t a = order_of(low);
  const std::int64_t b = order_of(high);
  if (a < 0 || b < 0) return a == 0 || b == 1'000'000;
  return a <= b;
}

bool contradict(const TuneConstraint& floor, const TuneConstraint& ceiling) {
  if (!floor.measure || !ceiling.measure || floor.less || !ceiling.less) return false;
  if (!never_above(*floor.measure, *ceiling.measure)) return false;
  return floor.bound_nano > ceiling.bound_nano ||
         (floor.bound_nano == ceiling.bound_nano && !(floor.or_equal && ceiling.or_equal));
}

void judge_contradictions(const std::vector<Word>& words, const TuneSetting& setting, Build& build) {
  const std::vector<TuneConstraint>& all = setting.constraints;
  if (words.size() != all.size()) return;  // errors say so already
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (all[i].text == all[j].text)
        build.diagnostics.add(words[i].place, fmt::format("`{}` is named twice", all[i].text));
      else if (contradict(all[i], all[j]) || contradict(all[j], all[i]))
        build.diagnostics.add(words[i].place, fmt::format("`{}` contradicts `{}`: no setting can keep both",
                                                          all[i].text, all[j].text));
    }
}

}  // namespace

FilePlace place_of(const Place& place) {
  return {place.line, place.column, place.length, place.override_index};
}

const sim::CheckerKind* usable_checker(const Word& word, Build& build) {
  const sim::CheckerKind* kind = sim::find_checker_kind(word.text);
  if (kind == nullptr) {
    build.diagnostics.add(word.place, fmt::format("unknown checker `{}`", printable(word.text, 60)),
                          suggestion(word.text, checker_names()));
    return nullptr;
  }
  if (!build.cluster_known) return nullptr;
  if (const char* why = kind->not_applicable(build.scenario)) {
    build.diagnostics.add(word.place, fmt::format("`{}` does not apply: {}", word.text, why));
    return nullptr;
  }
  return kind;
}

void build_objectives(const Section& tune, TuneSetting& setting, Build& build) {
  std::vector<Word> words = tune.words("objectives");
  const bool own = !tune.given("objectives");
  for (const std::string_view name : kDefaultObjectives)
    if (own) words.push_back({std::string(name), tune.place()});
  if (tune.good("objectives") && words.empty())
    build.diagnostics.add(tune.place("objectives"), "nothing to make small",
                          "leave the key out for the usual four");
  for (const Word& word : words) {
    Parsed<TuneMeasure> measure = parse_measure(word.text);
    if (!measure.value) {
      build.diagnostics.add(word.place, measure.problem, measure.hint);
      continue;
    }
    if (is_good_when_large(measure.value->metric)) {
      build.diagnostics.add(word.place, fmt::format("`{}` is better when it is large", measure.value->text),
                            fmt::format("objectives are made small; demand it in constraints: \"{} > …\"",
                                        measure.value->text));
      continue;
    }
    // What is there by itself is left out where it cannot be had.
    if (own && !why_never(*measure.value, build.scenario).empty()) continue;
    judge_measure(*measure.value, word.place, build);
    const auto same = [&](const TuneObjective& other) { return other.measure == *measure.value; };
    if (std::any_of(setting.objectives.begin(), setting.objectives.end(), same))
      build.diagnostics.add(word.place, fmt::format("`{}` is named twice", measure.value->text));
    setting.objectives.push_back({std::move(*measure.value), place_of(word.place)});
  }
}

void build_constraints(const Section& tune, TuneSetting& setting, Build& build) {
  const std::vector<Word> words = tune.words("constraints");
  for (const Word& word : words) {
    if (word.text.find_first_of("<>") != std::string::npos) {
      build_bound(word, setting, build);
    } else if (usable_checker(word, build) != nullptr) {
      TuneConstraint constraint;
      constraint.text = word.text;
      constraint.place = place_of(word.place);
      setting.constraints.push_back(std::move(constraint));
    }
  }
  judge_contradictions(words, setting, build);
}

}  // namespace tenure::format
