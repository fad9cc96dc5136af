// Advice about the setting of one file: whether it is safe under the file's faults, how much more it bears, what each
// fault costs, and which settings would be better.
//
// All of it is measured, with the file's own faults:
//
//   own setting     runs of the file as it is
//   costs           runs with one of its faults alone: time without a leader, for each time that it struck
//   margins         of a fault with a duration, the longest at which nothing breaks (lab/tune/frontier.h)
//   alternatives    the election's durations scaled, together or the longest alone, and its switches turned
//                   (lab/tune/tuning.h); what would be recommended, with each fault as long as the file may draw it
//
// Each question has as many runs as the others. The first value of a margin is the longest fault that the file may
// draw: what fails there is the file's own failure.
//
// Thread rule: one thread, which starts others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/session/tune_runs.h"
#include "lab/session/tune_task.h"
#include "lab/tune/frontier.h"

namespace tenure::lab {

struct FaultAdvice {
  std::size_t fault = 0;  // its place in the file, from 1
  std::string action = {};
  std::optional<Duration> longest = std::nullopt;  // in the file; none: it has no duration
  // Without a leader, for each time that it struck in runs without the other faults. None: it never did.
  std::optional<Duration> leaderless = std::nullopt;
  std::uint64_t strikes = 0;
  // Up to here two never lead by theory, if nothing else strikes (lab/tune/closed_form.h). None: theory does not know.
  std::optional<Duration> theory = std::nullopt;
  // Up to here all runs together were a pass, and from there on no longer: this checker failed in the run of this seed,
  // or nobody knows. Neither: nobody looked. Shorter than `longest` where the file's own runs fail.
  std::optional<Duration> tolerated = std::nullopt;
  std::optional<Duration> ends = std::nullopt;
  std::string checker = {};
  std::uint64_t seed = 0;
  std::string unknown = {};
  std::size_t tried = 0;  // durations

  // Why the longest that the file may draw is no pass, with the first seed that fails; 0: nobody knows. Empty: it is.
  std::string at_longest = {};
  std::uint64_t seed_at_longest = 0;

  // What a search found that began with the longest.
  void take_longest(const FrontierCell& cell);
  void take(const FrontierCell& cell);
};

struct AdviceFindings {
  std::unique_ptr<Tuning> tuning;  // 0 is the file's own setting
  TuneJudgement judgement;
  std::vector<FaultAdvice> faults;  // in the order of the file
  // Settings that are better than the file's own in something that counts, the best trade-off first; at most three.
  // Where the file's own is not safe: safe ones.
  std::vector<std::size_t> better;
  std::string internal_error;  // the first broken invariant of ours; empty: none
  bool interrupted = false;    // if true, do not read the rest

  // Whether the file's own setting is safe; inconclusive: nobody knows.
  sim::Verdict verdict() const;
};

// Runs of each setting, unless somebody asks for others; `tenure advise --help` says it.
inline constexpr std::uint64_t kSeedsOfAdvice = 40;

// What nobody may break: what [expect] lists, or at most one believer.
std::vector<std::string> demanded_of(const sim::Scenario& scenario);

// The task's [tune] does not matter. REQUIRES: the file's own setting can be made.
AdviceFindings advise(const TuneTask& task, std::uint64_t seeds, unsigned threads, RunsObserver& observer,
                      WhenInterrupted when_interrupted = WhenInterrupted::wait);

}  // namespace tenure::lab
