// A failure that is kept: a literal scenario with what failed, and what must happen for it to mean anything.
//
//   1. The checker that failed is demanded from then on, whether or not a claim of the protocol covers it: a replay
//      passes only when that checker has no violation at all.
//   2. A pass says something only if the situation that once failed still arises. So the file lists under `sometimes`
//      what the failing run reached, and holds no fault but those that struck; one that no longer reaches it all, or
//      one of whose faults no longer strikes, is stale and not a pass.
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

namespace tenure::sim {

struct RegressionOrigin {
  std::string scenario;  // its path
  std::uint64_t seed = 0;
  std::string version;  // of the program
  // What failed is a regression already, with this note.
  std::optional<RegressionNote> before = {};
};

// `failing` is literal and has a seed; `result` is its run, null when a broken invariant stopped it. What else must not
// happen is demanded as the failing scenario demanded it. One that is a regression keeps its name and its origin.
ScenarioFile as_regression(const Scenario& failing, const Failure& failure, const RunResult* result,
                           const RegressionOrigin& origin);

// Without the faults that did not strike in its run: what had no part in the failure is not asked for later.
// REQUIRES: literal.
Scenario without_idle_faults(const Scenario& failing, const RunResult& run);

// The path in [regression] origin; empty when it has none.
std::string origin_path(const RegressionNote& note);

// Events of `sometimes` that are an accident of the failure, and nothing that a mended run must reach.
bool is_of_failures(std::string_view event);

std::string trace_hash_text(std::uint64_t trace_hash);  // 16 hexadecimal digits

// What replaying one found.
struct Replayed {
  enum class State : std::uint8_t {
    passed,       // and reached what it was kept for
    still_fails,  // as it is kept, or in another way
    stale,        // passed without reaching all of it; and so did its neighbours
    moved,        // likewise, but a neighbouring seed reached it all and passed
    neighbour_fails,
  };
  State state = State::passed;
  std::uint64_t seed = 0;  // of the run that says so
  std::string missing;     // stale, moved: the events that did not happen, the faults that did not strike
  std::optional<Failure> failure;
  bool same_failure = false;  // as the one it was kept for
};

inline constexpr std::uint64_t kNeighbours = 50;

// `run_seed` runs the scenario with a seed; no run when a broken invariant stopped it, which is its failure then.
struct SeedRun {
  std::optional<RunResult> run;
  std::vector<Failure> failures;
};
Replayed replay(const ScenarioFile& regression, const std::function<SeedRun(std::uint64_t)>& run_seed);

}  // namespace tenure::sim
