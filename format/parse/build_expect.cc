// [expect] and [thresholds].

#include <fmt/format.h>

#include <algorithm>

#include "format/parse/build.h"
#include "format/syntax/suggest.h"
#include "format/syntax/thresholds.h"
#include "sim/checkers/checker.h"
#include "sim/scenario/names.h"

namespace tenure::format {
namespace {

using When = sim::CheckerKind::When;

std::string_view name_of(When when) { return when == When::always ? "always" : "eventually"; }

bool is_sometimes(std::string_view name) {
  return std::any_of(std::begin(sim::kSometimesNames), std::end(sim::kSometimesNames),
                     [&](const sim::SometimesName& known) { return known.name == name; });
}

// 0 for what stands in an override.
int line_of(const Place& place) { return place.override_index < 0 ? place.line : 0; }

// The first place that names it counts.
void note_line(std::string_view name, const Place& place, Build& build) {
  if (line_of(place) > 0) build.scenario.expect.lines.emplace(name, line_of(place));
}

// Reports a checker that is not there, does not apply, or belongs elsewhere.
void judge_checker(const Word& word, std::optional<When> when, Build& build) {
  const sim::CheckerKind* kind = sim::find_checker_kind(word.text);
  if (kind == nullptr) {
    build.diagnostics.add(word.place, fmt::format("unknown checker `{}`", printable(word.text, 60)),
                          is_sometimes(word.text) ? fmt::format("`{}` belongs in `sometimes`", word.text)
                                                  : suggestion(word.text, checker_names(when)));
    return;
  }
  if (when && kind->when != *when) {
    build.diagnostics.add(word.place, fmt::format("`{}` is not for `{}`", word.text, name_of(*when)),
                          fmt::format("it belongs in `{}`", name_of(kind->when)));
    return;
  }
  if (!build.cluster_known) return;
  if (const char* why = kind->not_applicable(build.scenario))
    build.diagnostics.add(word.place, fmt::format("`{}` does not apply: {}", word.text, why));
}

void judge_repeats(const std::vector<Word>& words, Build& build) {
  for (std::size_t i = 0; i < words.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (words[i].text == words[j].text) {
        build.diagnostics.add(words[i].place,
                              fmt::format("`{}` is named twice", printable(words[i].text, 60)));
        break;
      }
}

// What must fail cannot be demanded to hold as well.
void judge_contradiction(const Section& expect, Build& build) {
  const sim::Expectation& wanted = build.scenario.expect;
  const auto demands = [&](const std::optional<std::vector<std::string>>& names) {
    return names && std::find(names->begin(), names->end(), *wanted.fails) != names->end();
  };
  const std::string_view by = demands(wanted.always)       ? "always"
                              : demands(wanted.eventually) ? "eventually"
                              : *wanted.fails == "one-believer" && wanted.believer_overlap_max
                                  ? "believer_overlap"
                                  : "";
  if (!by.empty())
    build.diagnostics.add(
        expect.place("fails"),
        fmt::format("`{}` must fail, and `{}` demands that it holds", printable(*wanted.fails, 60), by),
        "take it out of one of the two");
}

std::optional<std::vector<std::string>> build_checkers(const Section& expect, When when, Build& build) {
  const std::string_view key = name_of(when);
  if (!expect.given(key)) return std::nullopt;
  const std::vector<Word> words = expect.words(key);
  std::vector<std::string> names;
  for (const Word& word : words) {
    judge_checker(word, when, build);
    note_line(word.text, word.place, build);
    names.push_back(word.text);
  }
  judge_repeats(words, build);
  return names;
}

void build_sometimes(const Section& expect, Build& build) {
  std::vector<std::string_view> known;
  for (const sim::SometimesName& name : sim::kSometimesNames) known.push_back(name.name);
  const std::vector<Word> words = expect.words("sometimes");
  for (const Word& word : words) {
    if (!is_sometimes(word.text)) {
      const sim::CheckerKind* kind = sim::find_checker_kind(word.text);
      build.diagnostics.add(word.place,
                            fmt::format("unknown event `{}` in `sometimes`", printable(word.text, 60)),
                            kind != nullptr ? fmt::format("it belongs in `{}`", name_of(kind->when))
                                            : suggestion(word.text, known));
    }
    note_line(word.text, word.place, build);
    build.scenario.expect.sometimes.push_back(word.text);
  }
  judge_repeats(words, build);
}

// A bound that no run can keep is a slip, not a demand.
bool can_hold(const sim::Threshold& threshold) {
  const auto* metric =
      std::find_if(std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
                   [&](const sim::MetricName& known) { return known.name == threshold.metric; });
  if (metric == std::end(sim::kMetricNames) || metric->may_be_negative || !threshold.less) return true;
  return threshold.bound_nano > 0 || (threshold.bound_nano == 0 && threshold.or_equal);
}

}  // namespace

std::vector<std::string_view> checker_names(std::optional<When> when) {
  std::vector<std::string_view> names;
  for (const sim::CheckerKind& kind : sim::checker_kinds())
    if (!when || kind.when == *when) names.push_back(kind.name);
  return names;
}

void build_expect(Build& build) {
  const Section expect = build.section("expect");
  sim::Expectation& wanted = build.scenario.expect;
  wanted.always = build_checkers(expect, When::always, build);
  wanted.eventually = build_checkers(expect, When::eventually, build);
  build_sometimes(expect, build);

  wanted.believer_overlap_said = expect.given("believer_overlap");
  const std::string overlap = expect.text("believer_overlap");
  if (overlap == "forbidden") {
    wanted.believer_overlap_max = Duration{};
  } else if (wanted.believer_overlap_said && overlap != "report" && expect.good("believer_overlap")) {
    const Parsed<Duration> allowed = parse_duration(overlap);
    if (!allowed.value || *allowed.value < Duration{})
      build.diagnostics.add(expect.place("believer_overlap"),
                            allowed.value ? "an overlap cannot be negative" : allowed.problem,
                            "`forbidden`, `report`, or a duration that is allowed at a time");
    else
      wanted.believer_overlap_max = *allowed.value;
    const bool listed = wanted.always && std::find(wanted.always->begin(), wanted.always->end(),
                                                   "one-believer") != wanted.always->end();
    if (listed && wanted.believer_overlap_max > Duration{})
      build.diagnostics.add(
          expect.place("believer_overlap"),
          fmt::format("an overlap of {} is allowed, and `always` lists `one-believer`, which allows none",
                      overlap),
          "take `one-believer` out of `always`: the overlap is demanded without it");
  }
  if (wanted.believer_overlap_max) note_line("one-believer", expect.place("believer_overlap"), build);
  if (expect.given("fails") && expect.good("fails")) {
    wanted.fails = expect.text("fails");
    note_line(*wanted.fails, expect.place("fails"), build);
    judge_checker(Word{*wanted.fails, expect.place("fails")}, std::nullopt, build);
    judge_contradiction(expect, build);
  }
}

void build_thresholds(Build& build) {
  const std::vector<KeySpec> keys = keys_of_metrics();
  const Section thresholds = build.section("thresholds", keys);
  for (const KeySpec& key : keys) {
    if (!thresholds.given(key.name)) continue;
    for (const Word& word : thresholds.words(key.name)) {
      const Parsed<sim::Threshold> parsed = parse_threshold(key.name, word.text);
      if (!parsed.value)
        build.diagnostics.add(word.place, parsed.problem, parsed.hint);
      else if (!can_hold(*parsed.value))
        build.diagnostics.add(word.place, fmt::format("`{}` can never hold: {} is never below zero",
                                                      parsed.value->text, key.name));
      else
        build.scenario.thresholds.emplace_back(*parsed.value).line = line_of(word.place);
    }
  }
}

}  // namespace tenure::format
