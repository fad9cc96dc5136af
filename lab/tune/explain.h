// Compares the theory of one setting with its simulation: experiments in which each formula can fail.
//
//   crash   of the leader, at a drawn moment: the mean of failovers, their range, the renewals before it
//   cut     of the leader from its store, just after it began to lead: how long it believes, how often it tries
//   pause   of the leader, a little shorter than the longest that never costs it the leadership: it never does; a
//           little longer: sometimes. In half of the runs it begins at any moment, in the others within a request
//   skew    the leader's clock slow and all others fast, or its wall clock behind, by a little less than theory allows,
//           and the leader cut off: never two believers; by a little more: sometimes
//   delay   answers late by a little less than T2 allows, and the leader cut off: likewise
//
// All in a quiet cluster whose clocks agree, except for what is tried.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/tune/closed_form.h"
#include "lab/tune/outcome.h"
#include "lab/tune/setting.h"

namespace tenure::lab {

struct Experiment {
  enum class Kind : std::uint8_t {
    crash,
    cut,
    pause_below,
    pause_above,
    skew_below,
    skew_above,
    delay_below,
    delay_above
  };
  Kind kind = Kind::crash;
  std::int64_t strength = 0;       // ns, or parts per million of a rate
  std::optional<Setting> setting;  // none: it cannot be made here
  std::string why_not;
};

// How far beside its bound each is tried. Above it, a rate and a delay are tried further away: others must be quick to
// make use of it.
inline constexpr std::int64_t kBesidePercent = 5;
inline constexpr std::int64_t kQuickPercent = 20;

// REQUIRES: there is a closed form for the protocol of the file's own setting, and it is for it.
std::vector<Experiment> experiments(const TuneFile& file, const sim::Scenario& own, const ClosedForm& form);
TuneQuestions explain_questions();

// The largest error of a clock, and the longest delay of an answer, with the trips: what is tried from below and above.
struct Skew {
  bool of_rate = false;
  std::int64_t largest = 0;  // parts per million, or ns of a wall clock
};
std::optional<Skew> tolerated_skew(const ClosedForm& form);
std::optional<Duration> tolerated_delay(const ClosedForm& form);

// What experiments of one kind showed, together.
struct Shown {
  Experiment::Kind kind = Experiment::Kind::crash;
  std::int64_t strength = 0;
  std::uint64_t runs = 0;
  std::uint64_t hits = 0;  // pause: leaderships lost; skew and delay: runs with two believers
  sim::Samples failover;
  sim::Samples belief;
  std::vector<std::int64_t> attempts;  // of each run of a cut
  std::vector<std::int64_t> renewals;  // of each run of a crash
};
Shown shown_by(const Experiment& experiment, const std::vector<RunNumbers>& runs);
void join(Shown& shown, const Shown& other);

// What the simulation says about a number or a bound. A mean is confirmed within 2 %, and refuted beyond that and its
// own interval of 95 %. A least or most is confirmed if nothing is beyond it and something comes within 5 % of the
// range's width. A count is confirmed if both its ends are seen, a belief within a millisecond.
enum class ExplainFinding : std::uint8_t { confirmed, not_reached, refuted, too_few, not_simulated };
inline constexpr std::int64_t kMeanPercent = 2;
inline constexpr std::int64_t kReachPercent = 5;
ExplainFinding judge_mean(const FailoverForm& form, const sim::Samples& failover);
ExplainFinding judge_least(const FailoverForm& form, const sim::Samples& failover);
ExplainFinding judge_most(const FailoverForm& form, const sim::Samples& failover);
ExplainFinding judge_belief(const ClosedForm& form, const sim::Samples& belief);
ExplainFinding judge_count(const sim::Range<std::int64_t>& theory, const std::vector<std::int64_t>& seen);
// Confirmed: no hits below and some above. Without hits above, the bound was not reached.
ExplainFinding judge_bound(const Shown* below, const Shown* above);

}  // namespace tenure::lab
