// What many runs of one design in one situation say together.
//
// Thread rule: numbers_of_case is a pure function; one cell belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/tune/outcome.h"
#include "sim/checkers/damage.h"
#include "sim/checkers/metrics/samples.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// The invariant that the comparison is about first of all.
inline constexpr std::string_view kOneLeader = "one-believer";

// One run, in numbers.
struct CaseNumbers {
  std::uint64_t seed = 0;
  // How much there was of each damage: nanoseconds of two_lead while neither stood still, a count of the others.
  std::int64_t damages[sim::kDamages] = {};
  std::string checkers[sim::kDamages] = {};  // the first of each kind that failed
  std::string error = {};                    // of the design's program, the first; empty: none
  std::uint64_t strikes = 0;                 // of faults; one that found nobody to strike is none
  bool all_struck = true;                    // each fault did that is not optional
  std::string not_struck = {};               // why one did not
  // What struck moves a clock alone that the design has not read: the fault; empty: it has, or something else struck.
  std::string moved_unread_clock = {};
  bool promised = false;  // one leader is what the design claims, and nothing that it assumes was broken
  // Why that was not in force although no fault was the reason: settings; empty: it was, or a fault was the reason.
  std::string beside_claim = {};
  bool tokens_examined = false;  // whether old ones were refused, or new ones are greater
  std::vector<std::string> broken =
      {};  // checkers that failed although nothing was broken that the design assumes
  std::vector<Duration> failovers;
  Duration leaderless;  // once there had been a leader, by what happened
  Duration warmup;      // a new leader is of no use for so long
  Duration warming;     // with a leader that is of no use yet, once there had been one
  std::uint64_t false_failovers = 0;
  Duration simulated;
  std::uint64_t store_requests = 0;
};
CaseNumbers numbers_of_case(const sim::Scenario& scenario, const sim::RunResult& result);

class Cell {
 public:
  struct Seen {
    sim::Damage damage = sim::Damage::other;
    std::uint64_t runs = 0;
    std::int64_t most = 0;     // in one run: nanoseconds of two_lead, a count of the others
    std::uint64_t seed = 0;    // of that run, the first of equals
    std::string checker = {};  // that failed in it
  };

  // `has_faults`: the situation has some, and they have to strike.
  explicit Cell(bool has_faults) : has_faults_(has_faults) {}
  void add(const CaseNumbers& run);

  std::uint64_t runs() const { return runs_; }
  // Those in which each fault struck that is not optional, or something went wrong all the same; all, where there is
  // no fault to strike.
  std::uint64_t tested() const { return tested_; }
  // The gravest first.
  std::vector<Seen> damages() const;
  std::optional<Seen> seen(sim::Damage damage) const;
  // In how many runs the design promised one leader, and nothing that it assumes for that was broken.
  std::uint64_t promised() const { return promised_; }
  struct BrokenClaim {
    std::string checker;
    std::uint64_t runs = 0;
    std::uint64_t seed = 0;  // of the first
  };
  // What failed although all that it assumes held.
  const std::vector<BrokenClaim>& broken() const { return broken_; }

  const sim::Samples& failovers() const { return failovers_; }
  Duration warmup() const { return warmup_; }  // of one leader
  // In a run, without a leader that is of use, in ns.
  Estimate gap() const { return gap_.mean(); }
  // Leaderships that were lost although their node was running and reachable, in all runs together.
  std::uint64_t false_failovers() const { return false_failovers_; }
  Duration simulated() const { return simulated_; }  // of all runs together
  // In billionths. Nothing without runs.
  Estimate requests_per_hour() const { return requests_per_hour_.mean(); }
  Estimate false_failovers_per_month() const;
  // The first error of the design's program, and its seed; nullopt: it did not fail.
  struct ProgramError {
    std::string what;
    std::uint64_t seed = 0;
  };
  const std::optional<ProgramError>& error() const { return error_; }
  // Why faults struck nobody in the first run in which they did not; empty: they did in all.
  const std::string& not_struck() const { return not_struck_; }
  // The fault, if in each run all that struck moved clocks that the design has not read: it is nothing to the design.
  std::string moved_unread_clock() const;
  // Why the claim of one leader was not in force in the first run in which settings were the reason; empty: in none.
  const std::string& beside_claim() const { return beside_claim_; }
  // In some run a checker looked at what the design's tokens are good for.
  bool tokens_examined() const { return tokens_examined_; }

 private:
  bool has_faults_;
  std::uint64_t runs_ = 0;
  std::uint64_t tested_ = 0;
  Seen seen_[sim::kDamages] = {};
  std::uint64_t promised_ = 0;
  std::vector<BrokenClaim> broken_;
  sim::Samples failovers_;
  RunSamples gap_;
  RunSamples requests_per_hour_;
  RunSamples false_failovers_per_month_;
  Duration warmup_;
  std::uint64_t false_failovers_ = 0;
  Duration simulated_;
  std::optional<ProgramError> error_;
  std::string not_struck_;
  std::uint64_t moved_unread_clock_ = 0;  // runs
  std::string moving_fault_;
  std::string beside_claim_;
  bool tokens_examined_ = false;
};

// Whether a smaller run shows what the cell says: the same damage, and half as much of it.
bool shows_as_much(const CaseNumbers& run, const Cell::Seen& worst);

}  // namespace tenure::lab
