#include "lab/session/equal_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/compare/price.h"
#include "lab/hunt/throwing_checks.h"
#include "lab/session/tune_search.h"

namespace tenure::lab {
namespace {

using sim::Candidate;
using sim::Override;
using sim::Price;

// A p99 needs that many failovers, and each run has one. What a store is asked differs little from run to run.
constexpr std::uint64_t kSeedsOfFailover = 120;
constexpr std::uint64_t kSeedsOfRequests = 10;

class Progress final : public TuneObserver {
 public:
  Progress(const std::string& design, CompareObserver& observer) : design_(design), observer_(observer) {}
  void progressed(const TuneProgress& progress) override {
    observer_.tuning(design_, {progress.done, progress.planned});
  }

 private:
  const std::string& design_;
  CompareObserver& observer_;
};

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
        tune_(sim::tuning_to(price_,
                             price_.kind == Price::Kind::requests ? kSeedsOfRequests : kSeedsOfFailover)) {}

  // False: it was interrupted. Afterwards either tuned() or problem() is there.
  bool run(TuneRuns& runs) {
    const sim::MadeCase own = sim::make_case(situation_, candidate_);
    if (!own.scenario) return refuse(own.not_applicable);
    if (price_.kind == Price::Kind::requests && candidate_.kind->store == nullptr)
      return refuse("it has no store that it could ask anything");
    if (sim::scaled(own.scenario->instances.front().election, {}).empty())
      return refuse("it has no durations to tune");

    const std::vector<sim::Factor> wide = with_own(sim::wide_factors());
    std::vector<std::size_t> made;  // of each setting, its factor
    sim::Tuning first(tune_, setting_of({}, *own.scenario), settings_of(wide, *own.scenario, made));
    if (!search(first, runs)) return false;
    const std::optional<std::size_t> cheap_enough = sim::dearest_within(price_, first);
    if (!cheap_enough) return refuse(range_in_words(first));
    const sim::Factor from = *cheap_enough == 0 ? sim::Factor{} : wide[made[*cheap_enough - 1]];

    std::vector<std::size_t> unused;
    sim::Tuning second(tune_, sim::Setting(first.setting(*cheap_enough)),
                       settings_of(sim::narrow_factors(price_.kind, from), *own.scenario, unused));
    if (!search(second, runs)) return false;
    const std::size_t best = sim::dearest_within(price_, second).value_or(0);
    const std::int64_t cost = *sim::cost_of(price_, second, best);
    if (!sim::pays(price_, cost)) return refuse(range_in_words(first));
    tuned_ = Candidate::Tuned{second.setting(best).overrides, cost};
    return true;
  }

  std::optional<Candidate::Tuned>& tuned() { return tuned_; }
  const std::string& problem() const { return problem_; }

 private:
  bool refuse(std::string why) {
    problem_ = std::move(why);
    return true;
  }

  // The factor 1 is the design's own setting, which a tuning has in any case.
  static std::vector<sim::Factor> with_own(std::vector<sim::Factor> factors) {
    std::erase(factors, sim::Factor{});
    return factors;
  }

  sim::Setting setting_of(std::vector<Override> overrides, sim::Scenario scenario) const {
    sim::Setting setting;
    setting.overrides = std::move(overrides);
    setting.scenario = std::move(scenario);
    return setting;
  }

  // Without those that are ill-formed, and those that are the same as another. `made`: the factor of each.
  std::vector<sim::Setting> settings_of(const std::vector<sim::Factor>& factors, const sim::Scenario& own,
                                        std::vector<std::size_t>& made) const {
    std::vector<sim::Setting> settings;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      std::vector<Override> overrides = sim::scaled(own.instances.front().election, factors[i]);
      sim::MadeCase it = sim::make_case(situation_, with(candidate_, overrides));
      if (!it.scenario) continue;
      settings.push_back(setting_of(std::move(overrides), *std::move(it.scenario)));
      made.push_back(i);
    }
    return settings;
  }

  std::string range_in_words(const sim::Tuning& tuning) const {
    std::optional<std::int64_t> least, most;
    for (std::size_t i = 0; i < tuning.size(); ++i) {
      const std::optional<std::int64_t> cost = sim::cost_of(price_, tuning, i);
      if (!cost) continue;
      least = std::min(least.value_or(*cost), *cost);
      most = std::max(most.value_or(*cost), *cost);
    }
    if (!least) return "nobody takes over after a crash, whatever its durations";
    return fmt::format("all its durations by one factor, from 1/32 to 32, make it {} to {}",
                       sim::amount_in_words(price_.kind, *least), sim::amount_in_words(price_.kind, *most));
  }

  const Price& price_;
  const Candidate& candidate_;
  const sim::Situation& situation_;
  const sim::TuneSetting tune_;
  std::optional<Candidate::Tuned> tuned_;
  std::string problem_;
};

}  // namespace

EqualPrice bring_to_price(CompareTask& task, CompareObserver& observer) {
  EqualPrice equal;
  const sim::ThrowingChecks checks;
  const sim::Situation& crash = task.situations[task.measured.crash];
  for (const Candidate& candidate : task.candidates)
    if (!sim::make_case(crash, candidate).problems.empty()) return equal;
  for (std::size_t i = 0; i < task.candidates.size(); ++i) {
    Candidate& candidate = task.candidates[i];
    Progress progress(candidate.name, observer);
    TuneSave unsaved;
    TuneRuns runs(task.threads, unsaved, progress);
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
