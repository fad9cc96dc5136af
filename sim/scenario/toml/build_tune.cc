// [tune] and [profile]: parameters with the values to try, measures, constraints that do not contradict each other.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/scenario/names.h"
#include "sim/scenario/toml/build.h"
#include "sim/scenario/toml/suggest.h"
#include "sim/scenario/toml/thresholds.h"
#include "sim/scenario/toml/tune_values.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kDefaultObjectives[] = {"failover_seconds.p99", "false_failovers_per_day",
                                                   "store_requests_per_second", "leaderless_share"};
constexpr std::int64_t kStepsOfRange = 256;

FilePlace place_of(const Place& place) {
  return {place.line, place.column, place.length, place.override_index};
}

TuneType tuned_type(ParameterSpec::Type type) {
  switch (type) {
    case ParameterSpec::Type::duration: return TuneType::duration;
    case ParameterSpec::Type::boolean: return TuneType::boolean;
    case ParameterSpec::Type::count:
    case ParameterSpec::Type::ppm: break;
  }
  return TuneType::number;
}

// What text must be to be a value, and between which ends; `type` empty: a duration or a whole number, as it says.
struct Wanted {
  std::string_view name;
  std::optional<TuneType> type;
  std::int64_t min = INT64_MIN;
  std::int64_t max = INT64_MAX;
};

Parsed<TuneSpan> parse_span(std::string_view text, TuneType type) {
  using Result = Parsed<TuneSpan>;
  if (type == TuneType::boolean) {
    if (text == "true") return Result::ok({1, 1});
    if (text == "false") return Result::ok({0, 0});
    return Result::bad(fmt::format("`{}` is neither true nor false", printable(text, 60)));
  }
  if (type == TuneType::number) {
    const Parsed<Range<std::int64_t>> range = parse_integer_range(text);
    return range.value ? Result::ok({range.value->low, range.value->high})
                       : Result::bad(range.problem, range.hint);
  }
  const Parsed<Range<Duration>> range = parse_duration_range(text);
  return range.value ? Result::ok({range.value->low.ns(), range.value->high.ns()})
                     : Result::bad(range.problem, range.hint);
}

TuneType guessed_type(std::string_view text) {
  return parse_integer_range(text).value ? TuneType::number : TuneType::duration;
}

// One value, a span, or a list of values, of one type; nothing after an error.
std::optional<TuneParameter> build_values(const std::vector<Word>& words, const Wanted& wanted,
                                          Build& build) {
  TuneParameter parameter;
  if (words.empty()) return std::nullopt;
  parameter.type = wanted.type.value_or(guessed_type(words.front().text));
  const std::size_t before = build.diagnostics.count();
  for (const Word& word : words) {
    const Parsed<TuneSpan> span = parse_span(word.text, parameter.type);
    const auto shown = [&](std::int64_t value) { return print_tune_value(parameter.type, value); };
    if (!span.value) {
      build.diagnostics.add(word.place, span.problem, span.hint);
    } else if (span.value->low < wanted.min || span.value->high > wanted.max) {
      build.diagnostics.add(word.place, fmt::format("`{}` must be between {} and {}", wanted.name,
                                                    shown(wanted.min), shown(wanted.max)));
    } else if (span.value->low != span.value->high) {
      if (words.size() > 1)
        build.diagnostics.add(word.place, "a range within a list of values",
                              "a list of values, or one range by itself");
      parameter.span = *span.value;
    } else if (std::find(parameter.values.begin(), parameter.values.end(), span.value->low) !=
               parameter.values.end()) {
      build.diagnostics.add(word.place, fmt::format("`{}` is there twice", printable(word.text, 60)));
    } else {
      parameter.values.push_back(span.value->low);
    }
  }
  return build.diagnostics.count() == before ? std::optional(parameter) : std::nullopt;
}

void complain_of_nothing(const Section& section, std::string_view key, Build& build) {
  if (section.good(key) && section.given(key) && section.words(key).empty())
    build.diagnostics.add(section.place(key), fmt::format("`{}` has no value to try", key),
                          "a list of values, or a range like \"1s..20s\"");
}

void build_parameters(const Section& tune, TuneSetting& setting, Build& build) {
  const ElectorKind* protocol = build.scenario.protocol;
  const SectionSpec& spec = *tune.spec("election").section;
  if (protocol == nullptr) {
    read_section(tune.item("election"), spec, all_keys(Open::sweeps), build.diagnostics);
    return;
  }
  const Section section =
      read_section(tune.item("election"), spec, sweeps_of(protocol->parameters()), build.diagnostics);
  for (const ParameterSpec& each : protocol->parameters()) {
    if (!section.given(each.name)) continue;
    complain_of_nothing(section, each.name, build);
    std::optional<TuneParameter> parameter =
        build_values(section.words(each.name), {each.name, tuned_type(each.type), each.min, each.max}, build);
    if (!parameter) continue;
    parameter->key = fmt::format("election.{}", each.name);
    parameter->place = place_of(section.key_place(each.name));
    setting.parameters.push_back(std::move(*parameter));
  }
}

// Measures that this scenario can never have samples of.
std::string why_never(const TuneMeasure& measure, const Scenario& scenario) {
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
  return std::any_of(std::begin(kMetricNames), std::end(kMetricNames),
                     [&](const MetricName& metric) { return metric.name == name && metric.low_is_bad; });
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

// ---- constraints -----------------------------------------------------------------------------------------

const CheckerKind* usable_checker(const Word& word, Build& build) {
  const CheckerKind* kind = find_checker_kind(word.text);
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

void build_bound(const Word& word, TuneSetting& setting, Build& build) {
  const std::size_t at = word.text.find_first_of("<>");
  std::string name = word.text.substr(0, at);
  while (name.ends_with(' ')) name.pop_back();
  Parsed<TuneMeasure> measure = parse_measure(name);
  // The comparison and the number are those of a threshold.
  const Parsed<Threshold> threshold = parse_threshold("", "mean " + word.text.substr(at));
  if (!measure.value) {
    build.diagnostics.add(word.place, measure.problem, measure.hint);
    return;
  }
  if (!threshold.value) {
    build.diagnostics.add(word.place, fmt::format("`{}` has no number", printable(word.text, 60)),
                          "like \"failover_seconds.p99 < 20\"");
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
  setting.constraints.push_back(std::move(constraint));
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

// ---- the frontier ----------------------------------------------------------------------------------------

void build_searched(const Section& section, TuneFrontier& frontier, Build& build) {
  const std::optional<TuneParameter> range =
      build_values(section.words("range"), {"range", std::nullopt}, build);
  if (!range) return;
  frontier.type = range->type;
  frontier.span = range->span;
  if (!range->is_span() || range->span.low >= range->span.high) {
    build.diagnostics.add(section.place("range"), "an empty range",
                          "two ends, like \"0s..60s\" or \"0..1000\"");
    return;
  }
  frontier.resolution = std::max<std::int64_t>((frontier.span.high - frontier.span.low) / kStepsOfRange, 1);
  if (!section.given("resolution")) return;
  const std::optional<TuneParameter> resolution =
      build_values(section.words("resolution"), {"resolution", range->type, 1, INT64_MAX}, build);
  if (resolution && !resolution->values.empty()) frontier.resolution = resolution->values.front();
}

void build_along(const Section& section, std::int64_t steps, TuneFrontier& frontier, Build& build) {
  const bool given = section.given("parameter");
  if (given != section.given("values")) {
    build.diagnostics.add(section.place(given ? "parameter" : "values"),
                          given ? "`parameter` without `values`" : "`values` of no parameter",
                          "both, or neither for the file's own setting alone");
    return;
  }
  if (!given) return;
  complain_of_nothing(section, "values", build);
  std::optional<TuneParameter> parameter =
      build_values(section.words("values"), {"values", std::nullopt}, build);
  if (!parameter) return;
  if (parameter->is_span())
    for (std::int64_t i = 0; i < steps; ++i)
      parameter->values.push_back(parameter->span.low +
                                  (parameter->span.high - parameter->span.low) / (steps - 1) * i);
  parameter->key = section.text("parameter");
  parameter->place = place_of(section.place("parameter"));
  frontier.parameter = std::move(parameter);
}

void build_frontier(const Section& tune, TuneSetting& setting, Build& build) {
  if (tune.item("frontier") == nullptr) return;
  const Section section =
      read_section(tune.item("frontier"), *tune.spec("frontier").section, {}, build.diagnostics);
  TuneFrontier frontier;
  frontier.against = section.text("against");
  frontier.place = place_of(section.place("against"));
  frontier.write = section.text("write");
  frontier.seeds = section.good("seeds") ? section.number("seeds") : setting.seeds;
  if (section.good("write") && frontier.write.find("{}") == std::string::npos)
    build.diagnostics.add(section.place("write"), "nothing in it changes", "{} stands for the value");
  build_searched(section, frontier, build);
  build_along(section, setting.steps, frontier, build);
  for (const Word& word : section.words("checkers"))
    if (usable_checker(word, build) != nullptr) frontier.checkers.push_back(word.text);
  if (!section.given("checkers"))
    for (const TuneConstraint& constraint : setting.constraints)
      if (!constraint.measure) frontier.checkers.push_back(constraint.text);
  if (frontier.checkers.empty() && build.diagnostics.count() == 0)
    build.diagnostics.add(section.place("checkers"), "no checker whose failure is looked for",
                          "name some here, or in `constraints`");
  setting.frontier = std::move(frontier);
}

std::int64_t frequency(const Section& profile, std::string_view key, Build& build) {
  if (!profile.good(key)) return 0;
  const Parsed<std::int64_t> parsed = parse_frequency(profile.text(key));
  if (!parsed.value) build.diagnostics.add(profile.place(key), parsed.problem, parsed.hint);
  return parsed.value.value_or(0);
}

}  // namespace

void build_tune(Build& build) {
  if (!build.file.given("tune")) return;
  const Section tune = build.section("tune");
  TuneSetting setting;
  for (const auto search :
       {TuneSetting::Search::grid, TuneSetting::Search::halton, TuneSetting::Search::halving})
    if (tune.text("search") == name_of(search)) setting.search = search;
  setting.settings = tune.number("settings");
  setting.steps = tune.number("steps");
  setting.seeds = tune.number("seeds");
  build_parameters(tune, setting, build);
  build_objectives(tune, setting, build);
  build_constraints(tune, setting, build);
  build_frontier(tune, setting, build);
  if (setting.parameters.empty() && !setting.frontier && tune.item("election") == nullptr)
    build.diagnostics.add(tune.place(), "nothing to tune",
                          "parameters in [tune.election], or [tune.frontier]");
  build.scenario.tune = std::move(setting);
}

void build_profile(Build& build) {
  if (!build.file.given("profile")) return;
  const Section section = build.section("profile");
  ProfileSetting profile;
  profile.crashes_micro = frequency(section, "crashes", build);
  profile.deploys_micro = frequency(section, "deploys", build);
  profile.store_failovers_micro = frequency(section, "store_failovers", build);
  if (section.given("disturbances")) profile.disturbances_micro = frequency(section, "disturbances", build);
  profile.crash_downtime = section.duration("crash_downtime");
  build.scenario.profile = profile;
}

}  // namespace tenure::sim
