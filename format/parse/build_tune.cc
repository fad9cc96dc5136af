// [tune] and [profile]: parameters with the values to try, the frontier, how often what happens in a month.

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

constexpr std::int64_t kStepsOfRange = 256;
constexpr std::int64_t kSeedsOfProfile = 100;  // without a [tune] that has some

TuneType tuned_type(ParameterSpec::Type type) {
  switch (type) {
    case ParameterSpec::Type::duration: return TuneType::duration;
    case ParameterSpec::Type::boolean: return TuneType::boolean;
    case ParameterSpec::Type::count:
    case ParameterSpec::Type::ppm:
    case ParameterSpec::Type::choice: break;
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
    const Parsed<sim::Range<std::int64_t>> range = parse_integer_range(text);
    return range.value ? Result::ok({range.value->low, range.value->high})
                       : Result::bad(range.problem, range.hint);
  }
  const Parsed<sim::Range<Duration>> range = parse_duration_range(text);
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
                              "write a list of values, or a single range");
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

// The parameters of one table, `table` as their keys begin; `owner` has them, if it is known who that is.
void build_sweeps(const Section& tune, std::string_view table, const std::vector<KeySpec>& keys,
                  std::span<const ParameterSpec> parameters, TuneSetting& setting, Build& build) {
  const std::string name(table.substr(0, table.size() - 1));
  const Section section = read_section(tune.item(name), *tune.spec(name).section, keys, build.diagnostics);
  for (const ParameterSpec& each : parameters) {
    if (!section.given(each.name)) continue;
    if (each.type == ParameterSpec::Type::choice) {
      build.diagnostics.add(section.place(each.name),
                            fmt::format("`{}` is a name and cannot be tuned", each.name),
                            fmt::format("tune once for each: --set {}{}=...", table, each.name));
      continue;
    }
    complain_of_nothing(section, each.name, build);
    std::optional<TuneParameter> parameter =
        build_values(section.words(each.name), {each.name, tuned_type(each.type), each.min, each.max}, build);
    if (!parameter) continue;
    parameter->key = fmt::format("{}{}", table, each.name);
    parameter->place = place_of(section.key_place(each.name));
    setting.parameters.push_back(std::move(*parameter));
  }
}

void build_parameters(const Section& tune, TuneSetting& setting, Build& build) {
  const ElectorKind* protocol = build.scenario.protocol;
  if (protocol != nullptr)
    build_sweeps(tune, kTuneElection, sweeps_of(protocol->parameters()), protocol->parameters(), setting,
                 build);
  else
    build_sweeps(tune, kTuneElection, all_keys(OpenKeys::sweeps), {}, setting, build);
  const SchedulerKind* scheduler = build.scenario.scheduler;
  if (scheduler != nullptr)
    build_sweeps(tune, kTuneScheduling, sweeps_of(scheduler->parameters()), scheduler->parameters(), setting,
                 build);
  else
    build_sweeps(tune, kTuneScheduling, all_keys(OpenKeys::scheduling_sweeps), {}, setting, build);
  if (scheduler == nullptr && build.cluster_known && tune.item("scheduling") != nullptr)
    build.diagnostics.add(tune.key_place("scheduling"),
                          "there is no scheduler whose parameters could be tuned", "the scheduler is `none`");
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
  if (!resolution || resolution->values.empty()) return;
  frontier.resolution = resolution->values.front();
  if (frontier.resolution > frontier.span.high - frontier.span.low)
    build.diagnostics.add(
        section.place("resolution"),
        fmt::format("`resolution` is larger than the range, which is {} wide",
                    print_tune_value(frontier.type, frontier.span.high - frontier.span.low)),
        "bisection ends when it is that narrow: a hundredth of the range, say");
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
  frontier.range_place = place_of(section.place("range"));
  frontier.write = section.text("write");
  frontier.seeds = section.good("seeds") ? section.number("seeds") : setting.seeds;
  if (section.good("write") && frontier.write.find("{}") == std::string::npos)
    build.diagnostics.add(section.place("write"), "it has no place for the value", "{} stands for the value");
  build_searched(section, frontier, build);
  build_along(section, setting.steps, frontier, build);
  for (const Word& word : section.words("checkers"))
    if (usable_checker(word, build) != nullptr) frontier.checkers.push_back(word.text);
  if (!section.given("checkers"))
    for (const TuneConstraint& constraint : setting.constraints)
      if (!constraint.measure) frontier.checkers.push_back(constraint.text);
  if (frontier.checkers.empty() && build.diagnostics.count() == 0)
    build.diagnostics.add(section.place("checkers"), "no checker to search a failure of",
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
  if (setting.parameters.empty() && !setting.frontier && tune.item("election") == nullptr &&
      tune.item("scheduling") == nullptr)
    build.diagnostics.add(tune.place(), "nothing to tune",
                          "parameters in [tune.election] or [tune.scheduling], or a [tune.frontier]");
  build.plans.tune = std::move(setting);
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
  profile.seeds = build.plans.tune ? build.plans.tune->seeds : kSeedsOfProfile;
  if (section.good("seeds") && section.given("seeds")) profile.seeds = section.number("seeds");
  build.plans.profile = profile;
}

}  // namespace tenure::format
