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
  std::uint64_t strikes = 0;             // of faults; one that found nobody to strike is none
  bool claim_broken = false;  // a checker failed although nothing that the design assumes was broken
  std::string broken = {};    // the first of them
  std::vector<Duration> failovers;
  Duration leaderless;  // once there had been a leader
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

  // `has_faults`: the situation has some, and one has to strike.
  explicit Cell(bool has_faults) : has_faults_(has_faults) {}
  void add(const CaseNumbers& run);

  std::uint64_t runs() const { return runs_; }
  // Those in which a fault struck; all, where there is none to strike.
  std::uint64_t tested() const { return tested_; }
  // The gravest first; only of runs that tested something.
  std::vector<Seen> troubles() const;
  std::optional<Seen> seen(Trouble trouble) const;
  // A claim was broken while all that it assumes held: in how many runs, and first with this seed.
  std::uint64_t claims_broken() const { return claims_broken_; }
  std::uint64_t claim_seed() const { return claim_seed_; }
  const std::string& claim() const { return claim_; }

  const Samples& failovers() const { return failovers_; }
  Duration leaderless() const { return leaderless_; }  // once there had been a leader; of all runs together
  // Over all runs; zero without runs.
  std::int64_t requests_per_hour() const;

 private:
  bool has_faults_;
  std::uint64_t runs_ = 0;
  std::uint64_t tested_ = 0;
  Seen seen_[kTroubles] = {};
  std::uint64_t claims_broken_ = 0;
  std::uint64_t claim_seed_ = 0;
  std::string claim_;
  Samples failovers_;
  Duration leaderless_;
  Duration simulated_;
  std::uint64_t store_requests_ = 0;
};

}  // namespace tenure::sim
