// The search through settings: chooses the next runs, and judges the results.
//
// All settings run with the same seeds, and noise is keyed by its purpose (sim/kernel/keyed_rng.h). So each meets the
// same environment: crashes at the same moments, equally slow links. Differences between two results come from the
// settings.
//
// Work comes in rounds. A grid and Halton points have one. Halving begins with a few seeds for each setting and, round
// after round, keeps the better half with twice the seeds (Jamieson, Talwalkar, "Non-stochastic Best Arm
// Identification", 2016): better is first what breaks no constraint and is safe in theory, then the layer of the Pareto
// order, then the distance to the best. The runs depend only on results of earlier rounds, and results are taken in
// order. So the number of threads changes nothing.
//
// Thread rule: setting() may be called from several threads while a round is at work; all else belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/tune/outcome.h"
#include "lab/tune/pareto.h"
#include "lab/tune/plan.h"
#include "lab/tune/setting.h"

namespace tenure::lab {

// Some runs of one setting.
struct TuneWork {
  std::size_t setting = 0;
  std::uint64_t first_seed = 0;
  std::uint64_t count = 0;
  bool operator==(const TuneWork&) const = default;
};

// The judgement of a setting.
struct JudgedSetting {
  enum class State : std::uint8_t {
    best,          // in the Pareto set
    dominated,     // another safe setting is nowhere worse
    warned,        // theory calls it unsafe, but no run has shown it
    broken,        // a checker failed in it
    bounded,       // a bound of `constraints`, or a threshold of the file, does not hold
    inconclusive,  // its runs together are no pass, though no checker failed (sim/runner/judge.h)
    unmeasured,    // an objective has too few samples
    dropped,       // halving gave it up
  };
  State state = State::best;
  std::vector<Estimate> objectives;
  std::string why;                       // what is wrong; empty for best and dominated
  std::string lacks;                     // unmeasured for want of samples: the measure in question
  std::uint64_t broken_runs = 0;         // of broken: the runs in which a checker failed
  std::uint64_t bad_seed = 0;            // the first of them
  std::optional<std::size_t> beaten_by;  // dominated: by one of the Pareto set
};
std::string_view name_of(JudgedSetting::State state);

struct TuneJudgement {
  std::vector<JudgedSetting> settings;
  std::vector<std::size_t> best;  // by the first objective; theory has nothing against any of them
  // Settings that theory calls unsafe and that no other setting beats: they would be best if theory were wrong.
  std::vector<std::size_t> apart;
  // Of the safe ones, the best balance. The file's own wherever another one is better by nothing that counts.
  std::optional<std::size_t> knee;
  // Objectives that do not count, because the safe settings do not differ in them by more than noise, or by more than
  // a twentieth: their places among the objectives.
  std::vector<std::size_t> alike;
  // If nothing is best: the setting nearest to the demands.
  std::optional<std::size_t> nearest;
};

class Tuning {
 public:
  // REQUIRES: `own` is the file's own setting. `settings` are the others to try.
  Tuning(const format::TuneSetting& tune, Setting own, std::vector<Setting> settings);
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  // Empty when it is over. REQUIRES: the results of the round before are taken.
  std::vector<TuneWork> next_round();
  void take(const TuneWork& work, const std::vector<RunNumbers>& runs);

  // 0 is the file's own.
  std::size_t size() const { return settings_.size(); }
  const Setting& setting(std::size_t index) const { return settings_[index]; }
  const SettingOutcome& outcome(std::size_t index) const { return outcomes_[index]; }
  const TuneQuestions& questions() const { return questions_; }
  const format::TuneSetting& tune() const { return tune_; }
  // The place of a setting that equals the file's own.
  std::optional<std::size_t> twin_of_own() const { return twin_; }

  // Runs under other conditions than the search's speak against a setting: it is judged so wherever its own runs, and
  // theory's word, would still let it be.
  void reject(std::size_t index, JudgedSetting::State state, std::string why);

  // No run comes any more. Settings that lack some of theirs count as dropped.
  void end_early() { ended_early_ = true; }

  TuneJudgement judge() const;

 private:
  JudgedSetting judged(std::size_t index) const;
  std::vector<std::size_t> better_half() const;
  std::vector<std::size_t> objectives_alike(const std::vector<const JudgedSetting*>& settings) const;
  void judge_sets(TuneJudgement& judgement) const;
  std::optional<std::size_t> nearest_to_safe(const TuneJudgement& judgement) const;
  std::uint64_t seeds_of_round(std::size_t round) const;

  const format::TuneSetting tune_;
  const TuneQuestions questions_;
  std::vector<Setting> settings_;
  std::vector<SettingOutcome> outcomes_;
  std::optional<std::size_t> twin_;
  std::map<std::size_t, std::pair<JudgedSetting::State, std::string>> rejected_;  // why, by setting
  std::vector<std::size_t> alive_;
  std::size_t rounds_ = 1;
  std::size_t round_ = 0;
  std::uint64_t seeds_done_ = 0;  // of those alive
  bool ended_early_ = false;
};

}  // namespace tenure::lab
