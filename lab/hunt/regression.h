// A saved failure: a literal scenario with what failed, and with what must happen so that a replay means something.
//
//   1. The checker that failed is demanded from then on, even if no claim covers it: a replay passes only if that
//      checker has no violation at all.
//   2. A pass means something only if the situation that failed still arises. So the file lists under `sometimes` what
//      the failing run reached, and has only the faults that struck. A replay that no longer reaches all of that, in
//      which a fault no longer strikes, or whose checker looks at nothing is stale and not a pass.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/plans/plans.h"
#include "lab/hunt/failure.h"
#include "sim/runner/result.h"

namespace tenure::lab {

struct RegressionOrigin {
  std::string scenario;  // its path
  std::uint64_t seed = 0;
  std::string version;  // of the program
  // Set if the failing scenario is already a regression, with this note.
  std::optional<format::RegressionNote> before = {};
};

// `failing` is literal and has a seed; `result` is its run, null when a broken invariant stopped it. The other demands
// stay as in the failing scenario. A regression keeps its name and its origin.
format::ScenarioFile as_regression(const sim::Scenario& failing, const Failure& failure,
                                   const sim::RunResult* result, const RegressionOrigin& origin);

// The scenario without the faults that did not strike in its run, so that a replay does not ask for them. REQUIRES:
// literal.
sim::Scenario without_idle_faults(const sim::Scenario& failing, const sim::RunResult& run);

// Whether the design's file is another one than when the regression was kept.
bool design_has_changed(const sim::Scenario& kept, const format::RegressionNote& note);

// The designs as people know them: their files, or the command of a program.
std::string design_names(const sim::Scenario& scenario);

// The path in [regression] origin; empty when it has none.
std::string origin_path(const format::RegressionNote& note);

// Whether this event of `sometimes` belongs to the failure, so that a repaired run need not reach it.
bool is_of_failures(std::string_view event);

std::string trace_hash_text(std::uint64_t trace_hash);  // 16 hexadecimal digits
std::string design_hash_text(
    const sim::Scenario& scenario);  // likewise, of each design; empty: it names none

// The result of a replay.
struct Replayed {
  enum class State : std::uint8_t {
    passed,       // and reached everything
    still_fails,  // in the same way, or in another
    stale,        // passed without reaching everything; so did its neighbours
    moved,        // likewise, but a neighbouring seed reached everything and passed
    neighbour_fails,
  };
  State state = State::passed;
  std::uint64_t seed = 0;  // the seed of that run
  std::string
      missing;  // stale, moved: events that did not happen, faults that did not strike, a blind checker
  std::optional<Failure> failure;
  bool same_failure = false;  // the same as the saved one
};

inline constexpr std::uint64_t kNeighbours = 50;

// `run_seed` runs the scenario with a seed.
Replayed replay(const format::ScenarioFile& regression,
                const std::function<SeedRun(std::uint64_t)>& run_seed);

}  // namespace tenure::lab
