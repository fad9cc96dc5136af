#include "lab/session/equal_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/compare/price.h"
#include "lab/hunt/throwing_checks.h"
#include "lab/session/tune_runs.h"

namespace tenure::lab {
namespace {

using format::Override;

// A p99 needs that many failovers, and each run has one. What a store is asked differs little from run to run.
constexpr std::uint64_t kSeedsOfFailover = 120;
constexpr std::uint64_t kSeedsOfRequests = 10;

Candidate with(Candidate candidate, const std::vector<Override>& settings) {
  for (const Override& set : settings)
    std::erase_if(candidate.settings, [&set](const Override& old) { return old.key == set.key; });
  candidate.settings.insert(candidate.settings.end(), settings.begin(), settings.end());
  return candidate;
}

// One design on its way to the price.
class Pricing {
 public:
  Pricing(const CompareTask& task, const Candidate& candidate)
      : price_(*task.price),
        candidate_(candidate),
        situation_(task.situations[price_.kind == Price::Kind::requests ? task.measured.quiet
                                                                        : task.measured.crash]),
        tune_(tuning_to(price_, price_.kind == Price::Kind::requests ? kSeedsOfRequests : kSeedsOfFailover)) {
  }

  // False: it was interrupted. Afterwards either tuned() or problem() is there.
  bool run(TuneRuns& runs) {
    const MadeCase own = make_case(situation_, candidate_);
    if (!own.scenario) return refuse(own.not_applicable);
    if (price_.kind == Price::Kind::requests && candidate_.kind->store == nullptr)
      return refuse("it has no store that it could ask anything");
    if (scaled(own.scenario->instances.front().election, {}).empty())
      return refuse("it has no durations to tune");

    if (!try_factor({}, *own.scenario, runs)) return false;
    // First outwards, to where the price lies, and then between the last that is cheap enough and the next.
    const bool is_cheap = is_cheap_enough(tried_.front());
    Factor cheap_enough;
    for (const Factor factor : powers_of_two(price_.kind, is_cheap)) {
      if (!try_factor(factor, *own.scenario, runs)) return false;
      if (tried_.back().factor != factor) continue;  // ill-formed
      if (is_cheap_enough(tried_.back())) cheap_enough = factor;
      if (is_cheap_enough(tried_.back()) != is_cheap) break;
    }
    if (best() == nullptr) return refuse(range_in_words());
    const std::vector<Factor> between = narrow_factors(price_.kind, cheap_enough);
    std::size_t first = 0;
    for (std::size_t last = between.size(); first < last;) {
      const std::size_t middle = (first + last) / 2;
      if (!try_factor(between[middle], *own.scenario, runs)) return false;
      const bool fits = tried_.back().factor == between[middle] && is_cheap_enough(tried_.back());
      if (fits)
        first = middle + 1;
      else
        last = middle;
    }
    if (!pays(price_, *best()->cost)) return refuse(range_in_words());
    tuned_ = Candidate::Tuned{best()->overrides, *best()->cost};
    return true;
  }

  std::optional<Candidate::Tuned>& tuned() { return tuned_; }
  const std::string& problem() const { return problem_; }

 private:
  bool refuse(std::string why) {
    problem_ = std::move(why);
    return true;
  }

  struct Tried {
    Factor factor;
    std::vector<Override> overrides;
    std::optional<std::int64_t> cost;
  };

  // Remembered, unless it is ill-formed. False: it was interrupted.
  bool try_factor(Factor factor, const sim::Scenario& own, TuneRuns& runs) {
    std::vector<Override> overrides;
    if (factor != Factor{}) overrides = scaled(own.instances.front().election, factor);
    MadeCase made = make_case(situation_, with(candidate_, overrides));
    if (!made.scenario) return true;
    Setting setting;
    setting.overrides = overrides;
    setting.scenario = *std::move(made.scenario);
    Tuning tuning(tune_, std::move(setting), {});
    if (!search(tuning, runs)) return false;
    tried_.push_back({factor, std::move(overrides), cost_of(price_, tuning, 0)});
    return true;
  }

  bool is_cheap_enough(const Tried& tried) const { return tried.cost && *tried.cost <= price_.most; }

  // The dearest that costs no more than the price.
  const Tried* best() const {
    const Tried* best = nullptr;
    for (const Tried& each : tried_)
      if (is_cheap_enough(each) && (best == nullptr || *each.cost > *best->cost)) best = &each;
    return best;
  }

  std::string range_in_words() const {
    std::optional<std::int64_t> above;
    for (const Tried& each : tried_)
      if (each.cost && !is_cheap_enough(each)) above = std::min(above.value_or(*each.cost), *each.cost);
    const auto words = [this](std::int64_t cost) { return amount_in_words(price_.kind, cost); };
    if (best() == nullptr && !above) return "nobody takes over after a crash, whatever its durations";
    std::string cost;
    if (best() == nullptr)
      cost = words(*above) + " at the least";
    else if (!above)
      cost = words(*best()->cost) + " at the most";
    else
      cost = fmt::format("{} or {}, and nothing between", words(*best()->cost), words(*above));
    return "with all its durations by one factor, from 1/32 to 32, it costs " + cost;
  }

  const Price& price_;
  const Candidate& candidate_;
  const Situation& situation_;
  const format::TuneSetting tune_;
  std::vector<Tried> tried_;  // the design's own first
  std::optional<Candidate::Tuned> tuned_;
  std::string problem_;
};

}  // namespace

EqualPrice bring_to_price(CompareTask& task, RunsObserver& observer) {
  EqualPrice equal;
  const ThrowingChecks checks;
  const Situation& crash = task.situations[task.measured.crash];
  for (const Candidate& candidate : task.candidates)
    if (!make_case(crash, candidate).problems.empty()) return equal;
  for (std::size_t i = 0; i < task.candidates.size(); ++i) {
    Candidate& candidate = task.candidates[i];
    observer.begins(fmt::format("bringing {} to the price", candidate.name));
    TuneSave unsaved;
    TuneRuns runs(task.threads, unsaved, observer);
    Pricing pricing(task, candidate);
    equal.interrupted = !pricing.run(runs);
    equal.internal_error = runs.internal_error();
    if (equal.interrupted || !equal.internal_error.empty()) return equal;
    if (!pricing.tuned()) {
      equal.unpriced.push_back({i, pricing.problem()});
      continue;
    }
    Candidate::Tuned tuned = *std::move(pricing.tuned());
    candidate = with(std::move(candidate), tuned.settings);
    candidate.tuned = std::move(tuned);
  }
  return equal;
}

}  // namespace tenure::lab
