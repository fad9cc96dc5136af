// What many runs of one design in one situation say together.
//
// Thread rule: numbers_of_case is a pure function; one cell belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/checkers/metrics/samples.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// The invariant that the comparison is about first of all.
inline constexpr std::string_view kOneLeader = "one-believer";

// What can go wrong, the gravest first.
enum class Trouble : std::uint8_t {
  design_error,   // the design's program failed
  two_lead,       // two led at once, and neither stood still
  stale_writes,   // what a deposed leader wrote, or did under its old token, was taken
  double_fires,   // a fire was executed twice
  lost_fires,     // a slot that came due was neither fired nor accounted for
  early_fires,    // before its slot, or at none
  never_led,      // nobody ever led
  nobody_at_end,  // all was healed, and nobody led
  behind_at_end,  // all was healed, and what was due was not done
  other,          // another checker failed
};
inline constexpr std::size_t kTroubles = 10;

// One run, in numbers.
struct CaseNumbers {
  std::uint64_t seed = 0;
  // How much there was of each trouble: nanoseconds of two_lead, a count of the others.
  std::int64_t troubles[kTroubles] = {};
  std::string checkers[kTroubles] = {};  // the first of each kind that failed
  std::string error = {};                // of the design's program, the first; empty: none
  std::uint64_t strikes = 0;             // of faults; one that found nobody to strike is none
  bool all_struck = true;                // each fault did that is not optional
  std::string not_struck = {};           // why one did not
  bool promised = false;  // one leader is what the design claims, and nothing that it assumes was broken
  std::vector<std::string> broken =
      {};  // checkers that failed although nothing was broken that the design assumes
  std::vector<Duration> failovers;
  Duration leaderless;  // once there had been a leader, by what happened
  std::uint64_t false_failovers = 0;
  Duration simulated;
  std::uint64_t store_requests = 0;
};
CaseNumbers numbers_of_case(const Scenario& scenario, const RunResult& result);

class Cell {
 public:
  struct Seen {
    Trouble trouble = Trouble::other;
    std::uint64_t runs = 0;
    std::int64_t most = 0;     // in one run: nanoseconds of two_lead, a count of the others
    std::uint64_t seed = 0;    // of that run, the first of equals
    std::string checker = {};  // that failed in it
  };

  // `has_faults`: the situation has some, and they have to strike.
  explicit Cell(bool has_faults) : has_faults_(has_faults) {}
  void add(const CaseNumbers& run);

  std::uint64_t runs() const { return runs_; }
  // Those in which each fault struck that is not optional; all, where there is none to strike.
  std::uint64_t tested() const { return tested_; }
  // The gravest first; only of runs that tested something.
  std::vector<Seen> troubles() const;
  std::optional<Seen> seen(Trouble trouble) const;
  // In how many runs the design promised one leader, and nothing that it assumes for that was broken.
  std::uint64_t promised() const { return promised_; }
  struct BrokenClaim {
    std::string checker;
    std::uint64_t runs = 0;
    std::uint64_t seed = 0;  // of the first
  };
  // What failed although all that it assumes held.
  const std::vector<BrokenClaim>& broken() const { return broken_; }

  const Samples& failovers() const { return failovers_; }
  Duration leaderless() const { return leaderless_; }  // of all runs together, as in CaseNumbers
  // Leaderships that were lost although their node was running and reachable, in all runs together.
  std::uint64_t false_failovers() const { return false_failovers_; }
  Duration simulated() const { return simulated_; }  // of all runs together
  // Over all runs; zero without runs.
  std::int64_t requests_per_hour() const;
  // The first error of the design's program, and its seed; nullopt: it did not fail.
  struct ProgramError {
    std::string what;
    std::uint64_t seed = 0;
  };
  const std::optional<ProgramError>& error() const { return error_; }
  // Why faults struck nobody in the first run in which they did not; empty: they did in all.
  const std::string& not_struck() const { return not_struck_; }

 private:
  bool has_faults_;
  std::uint64_t runs_ = 0;
  std::uint64_t tested_ = 0;
  Seen seen_[kTroubles] = {};
  std::uint64_t promised_ = 0;
  std::vector<BrokenClaim> broken_;
  Samples failovers_;
  Duration leaderless_;
  std::uint64_t false_failovers_ = 0;
  Duration simulated_;
  std::uint64_t store_requests_ = 0;
  std::optional<ProgramError> error_;
  std::string not_struck_;
};

// Whether a smaller run shows what the cell says: the same trouble, and half as much of it.
bool shows_as_much(const CaseNumbers& run, const Cell::Seen& worst);

}  // namespace tenure::sim
