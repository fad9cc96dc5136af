#include "sim/tune/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "sim/scenario/toml/print.h"

namespace tenure::sim {
namespace {

using State = JudgedSetting::State;

// Runs that are handed out together: enough to be worth handing out, few enough to keep all threads at work.
constexpr std::uint64_t kBlock = 25;
// Halving ends with this many settings, or with all seeds for all that are left.
constexpr std::size_t kFinalists = 8;
constexpr std::size_t kMostRounds = 5;

bool holds(const TuneConstraint& constraint, const Estimate& estimate) {
  if (!estimate.known) return false;
  if (estimate.value == constraint.bound_nano) return constraint.or_equal;
  return (estimate.value < constraint.bound_nano) == constraint.less;
}

// How far a bound is missed, in millionths of itself.
std::int64_t miss_of(const TuneConstraint& constraint, const Estimate& estimate) {
  constexpr std::int64_t kWhole = 1'000'000;
  if (holds(constraint, estimate)) return 0;
  if (!estimate.known) return INT64_MAX;
  const std::int64_t off = std::abs(estimate.value - constraint.bound_nano);
  return mul_div_ceil(off, kWhole, std::max<std::int64_t>(std::abs(constraint.bound_nano), 1));
}

std::string too_few(const TuneMeasure& measure, const Estimate& estimate) {
  return fmt::format("{} has {} samples: too few", measure.text, estimate.samples);
}

bool is_candidate(State state) { return state == State::best || state == State::dominated; }

Point point_of(const JudgedSetting& setting) {
  Point point;
  for (const Estimate& estimate : setting.objectives) point.push_back(estimate.value);
  return point;
}

std::size_t rounds_for(const TuneSetting& tune, std::size_t settings) {
  if (tune.search != TuneSetting::Search::halving) return 1;
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
    case State::broken: return "unsafe";
    case State::bounded: return "out of bounds";
    case State::unmeasured: return "unmeasured";
    case State::dropped: return "dropped";
  }
  return "";
}

Tuning::Tuning(const TuneSetting& tune, Setting own, std::vector<Setting> settings)
    : tune_(tune), questions_(questions_of(tune)) {
  const std::string text = print_scenario(own.scenario);
  settings_.push_back(std::move(own));
  for (Setting& setting : settings) {
    if (!twin_ && print_scenario(setting.scenario) == text) twin_ = settings_.size();
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
  CHECK(runs.size() == work.count, "every run of a piece of work has its numbers");
  for (const RunNumbers& numbers : runs) outcomes_[work.setting].add(numbers);
}

JudgedSetting Tuning::judged(std::size_t index) const {
  JudgedSetting judged;
  const Outcome& outcome = outcomes_[index == 0 && twin_ ? *twin_ : index];
  for (const TuneObjective& objective : tune_.objectives)
    judged.objectives.push_back(outcome.estimate(objective.measure));
  for (const auto& [checker, broken] : outcome.broken()) {
    if (broken.runs <= judged.broken_runs) continue;
    judged.broken_runs = broken.runs;
    judged.bad_seed = broken.first_seed;
    judged.state = State::broken;
    judged.why = fmt::format("{} failed in {} of {} runs", checker, broken.runs, outcome.runs());
  }
  if (judged.state == State::broken) return judged;
  if (const auto checker = outcome.never_examined()) {
    judged.state = State::unmeasured;
    judged.why = fmt::format("{} had nothing to look at in any run: did anybody lead?", *checker);
    return judged;
  }
  for (const TuneConstraint& constraint : tune_.constraints) {
    if (!constraint.measure || holds(constraint, outcome.estimate(*constraint.measure))) continue;
    const Estimate estimate = outcome.estimate(*constraint.measure);
    judged.state = estimate.known ? State::bounded : State::unmeasured;
    judged.why =
        estimate.known ? fmt::format("not {}", constraint.text) : too_few(*constraint.measure, estimate);
    return judged;
  }
  if (outcome.runs() < seeds_done_) {
    judged.state = State::dropped;
    judged.why = fmt::format("after {} seeds", outcome.runs());
    return judged;
  }
  for (std::size_t i = 0; i < judged.objectives.size(); ++i)
    if (!judged.objectives[i].known) {
      judged.state = State::unmeasured;
      judged.why = too_few(tune_.objectives[i].measure, judged.objectives[i]);
    }
  return judged;
}

std::vector<std::size_t> Tuning::better_half() const {
  std::vector<JudgedSetting> all;
  std::vector<Point> points;
  for (const std::size_t index : alive_) {
    all.push_back(judged(index));
    points.push_back(point_of(all.back()));
  }
  const std::vector<std::size_t> layers = layers_of(points);
  const std::vector<std::int64_t> far = distances(points);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < alive_.size(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto rank = [&](std::size_t i) {
      // A percentile that still lacks samples says nothing against a setting.
      const bool good = is_candidate(all[i].state) || all[i].state == State::unmeasured;
      return std::tuple(!good, all[i].broken_runs, layers[i], far[i], i);
    };
    return rank(a) < rank(b);
  });
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < std::max((order.size() + 1) / 2, std::min(order.size(), kFinalists)); ++i)
    kept.push_back(alive_[order[i]]);
  // Where the file stands is asked for whatever it is worth.
  const std::size_t own = twin_.value_or(0);
  if (std::find(kept.begin(), kept.end(), own) == kept.end()) kept.push_back(own);
  std::sort(kept.begin(), kept.end());
  return kept;
}

std::optional<std::size_t> Tuning::knee_among(const std::vector<std::size_t>& candidates,
                                              const std::vector<Point>& points) const {
  const std::vector<std::int64_t> far = distances(points);
  std::optional<std::size_t> knee;
  const auto worth = [&](std::size_t i) {
    return std::tuple(!settings_[candidates[i]].unsafe.empty(), far[i], i);
  };
  for (const std::size_t i : pareto_set(points))
    if (!knee || worth(i) < worth(*knee)) knee = i;
  return knee ? std::optional(candidates[*knee]) : std::nullopt;
}

TuneJudgement Tuning::judge() const {
  TuneJudgement judgement;
  std::vector<std::size_t> candidates;
  std::vector<Point> points;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    judgement.settings.push_back(judged(i));
    if (!is_candidate(judgement.settings.back().state) || (i == 0 && twin_)) continue;
    candidates.push_back(i);
    points.push_back(point_of(judgement.settings.back()));
  }
  const std::vector<std::size_t> set = pareto_set(points);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    JudgedSetting& setting = judgement.settings[candidates[i]];
    if (std::find(set.begin(), set.end(), i) != set.end()) continue;
    setting.state = State::dominated;
    for (const std::size_t better : set)
      if (dominates(points[better], points[i]) && !setting.beaten_by) setting.beaten_by = candidates[better];
  }
  for (const std::size_t place : set) judgement.best.push_back(candidates[place]);
  std::stable_sort(judgement.best.begin(), judgement.best.end(), [&](std::size_t a, std::size_t b) {
    return point_of(judgement.settings[a]) < point_of(judgement.settings[b]);
  });
  judgement.knee = knee_among(candidates, points);
  if (twin_) judgement.settings[0] = judgement.settings[*twin_];
  if (!judgement.best.empty()) return judgement;

  const auto badness = [&](std::size_t i) {
    const JudgedSetting& setting = judgement.settings[i];
    std::int64_t miss = 0;
    for (const TuneConstraint& constraint : tune_.constraints)
      if (constraint.measure)
        miss = std::max(miss, miss_of(constraint, outcomes_[i].estimate(*constraint.measure)));
    return std::tuple(setting.broken_runs, miss, i);
  };
  for (std::size_t i = 0; i < settings_.size(); ++i)
    if (!(i == 0 && twin_) && (!judgement.nearest || badness(i) < badness(*judgement.nearest)))
      judgement.nearest = i;
  return judgement;
}

}  // namespace tenure::sim
