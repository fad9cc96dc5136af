#include "lab/tune/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "core/base/int128.h"
#include "format/print/print.h"

namespace tenure::lab {
namespace {

using State = JudgedSetting::State;

// Runs that are handed out together: enough to be worth handing out, few enough to keep all threads at work.
constexpr std::uint64_t kBlock = 25;
// Halving ends with this many settings, or with all seeds for all that are left.
constexpr std::size_t kFinalists = 8;
constexpr std::size_t kMostRounds = 5;

bool holds(const format::TuneConstraint& constraint, const Estimate& estimate) {
  if (!estimate.known) return false;
  if (estimate.value == constraint.bound_nano) return constraint.or_equal;
  return (estimate.value < constraint.bound_nano) == constraint.less;
}

// How far a bound is missed, in millionths of itself.
std::int64_t miss_of(const format::TuneConstraint& constraint, const Estimate& estimate) {
  constexpr std::int64_t kAllOfIt = 1'000'000;
  if (holds(constraint, estimate)) return 0;
  if (!estimate.known) return INT64_MAX;
  const std::int64_t off = std::abs(estimate.value - constraint.bound_nano);
  return mul_div_ceil(off, kAllOfIt, std::max<std::int64_t>(std::abs(constraint.bound_nano), 1));
}

// What a measure lacks, and why that is so.
std::string lack_of(const format::TuneMeasure& measure, const Estimate& estimate,
                    const SettingOutcome& outcome) {
  if (estimate.samples > 0 && measure.statistic == format::TuneMeasure::Statistic::mean)
    return fmt::format(
        "{} has samples in a single run, which says nothing of how much runs differ: more seeds",
        measure.text);
  if (estimate.samples > 0) {
    const std::uint64_t seeds = (outcome.runs() * estimate.needed + estimate.samples - 1) / estimate.samples;
    return fmt::format("{} has {} of the {} samples that it takes: about {} seeds would do", measure.text,
                       estimate.samples, estimate.needed, seeds);
  }
  const std::string none = fmt::format("{} has no sample", measure.text);
  if (measure.metric != "failover_seconds") return none + ": nothing of the kind happened in any run";
  if (outcome.strikes() == 0) return none + ": no fault of the file struck in any run";
  return fmt::format("{}: faults struck {} times, and none was followed by a failover", none,
                     outcome.strikes());
}

bool is_candidate(State state) { return state == State::best || state == State::dominated; }

Point point_of(const JudgedSetting& setting) {
  Point point;
  for (const Estimate& estimate : setting.objectives) point.push_back(estimate.value);
  return point;
}

// The best and the worst of an objective that counts differ by more than this part of the best.
constexpr std::int64_t kTwentieth = 20;

// Whether these settings differ in this objective by more than a twentieth, and by more than noise: that of a
// difference, whose interval is as wide as those of both, added as squares.
bool tells_apart(const std::vector<const JudgedSetting*>& settings, std::size_t objective) {
  const auto of = [&](const JudgedSetting* setting) { return setting->objectives[objective]; };
  const auto [least, most] = std::minmax_element(
      settings.begin(), settings.end(),
      [&](const JudgedSetting* a, const JudgedSetting* b) { return of(a).value < of(b).value; });
  const Estimate best = of(*least);
  const Estimate worst = of(*most);
  if (worst.value - best.value <= std::abs(best.value) / kTwentieth) return false;
  // Without an interval it is what was seen, and no estimate.
  const bool open = best.low.has_value() && !best.high.has_value();
  const int128 apart = worst.value - best.value;
  const int128 above = best.high.value_or(best.value) - best.value;
  const int128 below = worst.value - worst.low.value_or(worst.value);
  return !open && apart * apart > above * above + below * below;
}

// A setting halfway through the search.
struct Ranked {
  std::size_t index = 0;
  JudgedSetting judged;
};

// What lacks samples counts as the best that another one has, because nothing speaks against it yet.
std::vector<Point> points_so_far(const std::vector<Ranked>& settings) {
  std::vector<Point> points;
  for (const Ranked& setting : settings) points.push_back(point_of(setting.judged));
  for (std::size_t k = 0; !points.empty() && k < points.front().size(); ++k) {
    const auto has_samples = [&](std::size_t i) { return settings[i].judged.objectives[k].samples > 0; };
    std::optional<std::int64_t> best;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (has_samples(i)) best = std::min(best.value_or(INT64_MAX), points[i][k]);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!has_samples(i)) points[i][k] = best.value_or(0);
  }
  return points;
}

// By the runs that fail, the layer of the Pareto order, and the distance to the best.
std::vector<std::size_t> best_first(const std::vector<Ranked>& settings) {
  const std::vector<Point> points = points_so_far(settings);
  const std::vector<std::size_t> layers = layers_of(points);
  const std::vector<std::int64_t> far = distances(points);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < settings.size(); ++i) order.push_back(i);
  const auto rank = [&](std::size_t i) {
    return std::tuple(settings[i].judged.broken_runs, layers[i], far[i], i);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  for (std::size_t& i : order) i = settings[i].index;
  return order;
}

// Of those that none beats, the one nearest to the best in everything; a place in `points`. Of several, `own`, or the
// first.
std::optional<std::size_t> knee_of(const std::vector<Point>& points, std::optional<std::size_t> own = {}) {
  const std::vector<std::int64_t> far = distances(points);
  std::optional<std::size_t> knee;
  for (const std::size_t i : pareto_set(points))
    if (!knee || far[i] < far[*knee] || (far[i] == far[*knee] && own == i)) knee = i;
  return knee;
}

std::string theory_against(const Setting& setting) {
  std::string text;
  for (const sim::UnsafeNote& note : setting.unsafe)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", note.name, note.text);
  return text;
}

// What the file bounds is bounded in every setting.
format::TuneSetting with_thresholds(format::TuneSetting tune, const sim::Scenario& scenario) {
  for (const sim::Threshold& threshold : scenario.thresholds) {
    const std::string text = fmt::format("{} {}", threshold.metric, threshold.text);
    const format::TuneMeasure measure{threshold.metric, threshold.statistic, threshold.percentile_ppm, text};
    tune.constraints.push_back({text, measure, threshold.less, threshold.or_equal, threshold.bound_nano, {}});
  }
  return tune;
}

std::size_t rounds_for(const format::TuneSetting& tune, std::size_t settings) {
  if (tune.search != format::TuneSetting::Search::halving) return 1;
  std::size_t rounds = 1;
  while (rounds < kMostRounds && settings > kFinalists && (tune.seeds >> rounds) > 0) {
    settings /= 2;
    ++rounds;
  }
  return rounds;
}

}  // namespace

std::string_view name_of(State state) {
  switch (state) {
    case State::best: return "best";
    case State::dominated: return "dominated";
    case State::warned: return "unsafe in theory";
    case State::broken: return "unsafe";
    case State::bounded: return "out of bounds";
    case State::inconclusive: return "inconclusive";
    case State::unmeasured: return "unmeasured";
    case State::dropped: return "dropped";
  }
  return "";
}

Tuning::Tuning(const format::TuneSetting& tune, Setting own, std::vector<Setting> settings)
    : tune_(with_thresholds(tune, own.scenario)), questions_(questions_of(tune_)) {
  const std::string text = format::print_scenario(own.scenario);
  settings_.push_back(std::move(own));
  for (Setting& setting : settings) {
    if (!twin_ && format::print_scenario(setting.scenario) == text) twin_ = settings_.size();
    settings_.push_back(std::move(setting));
  }
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    outcomes_.emplace_back(questions_);
    // It runs once, in the place of its twin.
    if (i > 0 || !twin_) alive_.push_back(i);
  }
  rounds_ = rounds_for(tune_, settings_.size());
}

std::uint64_t Tuning::seeds_of_round(std::size_t round) const {
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(tune_.seeds) >> (rounds_ - 1 - round), 1);
}

std::vector<TuneWork> Tuning::next_round() {
  if (round_ == rounds_) return {};
  if (round_ > 0) alive_ = better_half();
  const std::uint64_t until = seeds_of_round(round_);
  std::vector<TuneWork> works;
  for (const std::size_t setting : alive_)
    for (std::uint64_t done = seeds_done_; done < until; done += kBlock)
      works.push_back({setting, done + 1, std::min(kBlock, until - done)});
  seeds_done_ = until;
  ++round_;
  return works;
}

void Tuning::take(const TuneWork& work, const std::vector<RunNumbers>& runs) {
  CHECK(runs.size() <= work.count, "a piece of work has no more runs than it asks for");
  for (const RunNumbers& numbers : runs) outcomes_[work.setting].add(numbers);
}

JudgedSetting Tuning::judged(std::size_t index) const {
  JudgedSetting judged;
  const SettingOutcome& outcome = outcomes_[index == 0 && twin_ ? *twin_ : index];
  for (const format::TuneObjective& objective : tune_.objectives)
    judged.objectives.push_back(outcome.estimate(objective.measure));
  for (const auto& [checker, broken] : outcome.broken()) {
    if (broken.runs <= judged.broken_runs) continue;
    judged.broken_runs = broken.runs;
    judged.bad_seed = broken.first_seed;
    judged.state = State::broken;
    judged.why = fmt::format("{} failed in {} of {} runs", checker, broken.runs, outcome.runs());
  }
  if (judged.state == State::broken) return judged;
  if (ended_early_ && outcome.runs() < seeds_done_) {
    judged.state = State::dropped;
    judged.why = fmt::format("interrupted after {} of {} runs", outcome.runs(), seeds_done_);
    return judged;
  }
  judged.why = outcome.why_inconclusive(settings_[index].scenario);
  if (!judged.why.empty()) {
    judged.state = State::inconclusive;
    return judged;
  }
  const auto lacks = [&](const format::TuneMeasure& measure, const Estimate& estimate) {
    judged.state = State::unmeasured;
    judged.why = lack_of(measure, estimate, outcome);
    judged.lacks = measure.text;
  };
  for (const format::TuneConstraint& constraint : tune_.constraints) {
    if (!constraint.measure) continue;
    const Estimate estimate = outcome.estimate(*constraint.measure);
    if (holds(constraint, estimate)) continue;
    judged.state = State::bounded;
    judged.why = fmt::format("not {}", constraint.text);
    if (!estimate.known) lacks(*constraint.measure, estimate);
    return judged;
  }
  if (outcome.runs() < seeds_done_) {
    judged.state = State::dropped;
    judged.why = fmt::format("after {} seeds", outcome.runs());
    return judged;
  }
  for (std::size_t i = 0; i < judged.objectives.size(); ++i) {
    if (judged.objectives[i].known) continue;
    lacks(tune_.objectives[i].measure, judged.objectives[i]);
    return judged;
  }
  judged.why = theory_against(settings_[index]);
  if (!judged.why.empty()) judged.state = State::warned;
  return judged;
}

std::vector<std::size_t> Tuning::better_half() const {
  // What is good so far, and what is not, each by itself: what is unsafe beats nothing that is safe.
  std::vector<Ranked> good;
  std::vector<Ranked> bad;
  for (const std::size_t index : alive_) {
    Ranked ranked{index, judged(index)};
    // A measure that still lacks samples says nothing against a setting.
    const State state = ranked.judged.state;
    const bool is_good =
        is_candidate(state) || (state == State::unmeasured && settings_[index].unsafe.empty());
    (is_good ? good : bad).push_back(std::move(ranked));
  }
  std::vector<std::size_t> kept = best_first(good);
  const std::vector<std::size_t> rest = best_first(bad);
  kept.insert(kept.end(), rest.begin(), rest.end());
  kept.resize(std::max((kept.size() + 1) / 2, std::min(kept.size(), kFinalists)));
  // Where the file stands is asked for whatever it is worth.
  const std::size_t own = twin_.value_or(0);
  if (std::find(kept.begin(), kept.end(), own) == kept.end()) kept.push_back(own);
  std::sort(kept.begin(), kept.end());
  return kept;
}

std::vector<std::size_t> Tuning::objectives_alike(const std::vector<const JudgedSetting*>& settings) const {
  std::vector<std::size_t> alike;
  for (std::size_t i = 0; i < tune_.objectives.size(); ++i)
    if (settings.size() > 1 && !tells_apart(settings, i)) alike.push_back(i);
  return alike;
}

void Tuning::judge_sets(TuneJudgement& judgement) const {
  std::vector<std::size_t> safe;
  std::vector<const JudgedSetting*> those;
  std::vector<std::size_t> warned;
  for (std::size_t i = twin_ ? 1 : 0; i < settings_.size(); ++i) {
    const JudgedSetting& setting = judgement.settings[i];
    if (is_candidate(setting.state)) {
      safe.push_back(i);
      those.push_back(&setting);
    } else if (setting.state == State::warned) {
      warned.push_back(i);
    }
  }
  judgement.alike = objectives_alike(those);
  const auto what_counts = [&](std::size_t index) {
    Point point = point_of(judgement.settings[index]);
    for (const std::size_t objective : judgement.alike) point[objective] = 0;
    return point;
  };
  std::vector<Point> points;
  std::vector<Point> points_of_warned;
  for (const std::size_t i : safe) points.push_back(what_counts(i));
  for (const std::size_t i : warned) points_of_warned.push_back(what_counts(i));
  const std::vector<std::size_t> set = pareto_set(points);
  for (const std::size_t place : set) judgement.best.push_back(safe[place]);
  for (std::size_t i = 0; i < safe.size(); ++i) {
    JudgedSetting& setting = judgement.settings[safe[i]];
    if (std::find(set.begin(), set.end(), i) != set.end()) continue;
    setting.state = State::dominated;
    for (const std::size_t better : set)
      if (dominates(points[better], points[i]) && !setting.beaten_by) setting.beaten_by = safe[better];
  }
  const auto own = std::find(safe.begin(), safe.end(), twin_.value_or(0));
  if (const std::optional<std::size_t> knee = knee_of(points, static_cast<std::size_t>(own - safe.begin())))
    judgement.knee = safe[*knee];
  for (const std::size_t place : pareto_set(points_of_warned))
    if (std::none_of(points.begin(), points.end(),
                     [&](const Point& point) { return dominates(point, points_of_warned[place]); }))
      judgement.apart.push_back(warned[place]);
  const auto by_objectives = [&](std::size_t a, std::size_t b) {
    return point_of(judgement.settings[a]) < point_of(judgement.settings[b]);
  };
  std::stable_sort(judgement.best.begin(), judgement.best.end(), by_objectives);
  std::stable_sort(judgement.apart.begin(), judgement.apart.end(), by_objectives);
}

std::optional<std::size_t> Tuning::nearest_to_safe(const TuneJudgement& judgement) const {
  // What keeps all that is demanded, and has nothing against it but theory.
  std::vector<Point> points;
  for (const std::size_t i : judgement.apart) points.push_back(point_of(judgement.settings[i]));
  if (const std::optional<std::size_t> knee = knee_of(points)) return judgement.apart[*knee];
  const auto badness = [&](std::size_t i) {
    const JudgedSetting& setting = judgement.settings[i];
    std::int64_t miss = 0;
    for (const format::TuneConstraint& constraint : tune_.constraints)
      if (constraint.measure)
        miss = std::max(miss, miss_of(constraint, outcomes_[i].estimate(*constraint.measure)));
    return std::tuple(setting.broken_runs, miss, !settings_[i].unsafe.empty(), i);
  };
  std::optional<std::size_t> nearest;
  for (std::size_t i = twin_ ? 1 : 0; i < settings_.size(); ++i)
    if (!nearest || badness(i) < badness(*nearest)) nearest = i;
  return nearest;
}

void Tuning::reject(std::size_t index, State state, std::string why) {
  const auto [place, is_new] = rejected_.try_emplace(index, state, why);
  if (!is_new && state == State::broken) place->second = {state, std::move(why)};
}

TuneJudgement Tuning::judge() const {
  TuneJudgement judgement;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    JudgedSetting& setting = judgement.settings.emplace_back(judged(i));
    const auto rejected = rejected_.find(i);
    if (rejected != rejected_.end() && (is_candidate(setting.state) || setting.state == State::warned))
      std::tie(setting.state, setting.why) = rejected->second;
  }
  judge_sets(judgement);
  if (judgement.best.empty()) judgement.nearest = nearest_to_safe(judgement);
  if (twin_) judgement.settings[0] = judgement.settings[*twin_];
  return judgement;
}

}  // namespace tenure::lab
