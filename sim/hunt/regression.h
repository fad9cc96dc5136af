// A failure that is kept: a literal scenario with what failed, and what must happen for it to mean anything.
//
// A regression that passes says something only if the situation that once failed still arises; so it lists under
// `sometimes` what the failing run reached, and one that no longer reaches it is stale and not a pass.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sim/hunt/failure.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

struct RegressionOrigin {
  std::string scenario;  // its path
  std::uint64_t seed = 0;
  std::string version;  // of the program
};

// `failing` is literal and has a seed; `result` is its run, null when a broken invariant stopped it. What must not
// happen is demanded as the failing scenario demanded it.
Scenario as_regression(const Scenario& failing, const Failure& failure, const RunResult* result,
                       const RegressionOrigin& origin);

// Events of `sometimes` that are an accident of the failure, and nothing that a mended run must reach.
bool is_of_failures(std::string_view event);

std::string trace_hash_text(std::uint64_t trace_hash);  // 16 hexadecimal digits

// What replaying one found.
struct Replayed {
  enum class State : std::uint8_t {
    passed,       // and reached what it was kept for
    still_fails,  // as it is kept, or in another way
    stale,        // passed, and reached nothing of it; nor did its neighbours
    moved,        // so did a neighbouring seed, which reached it and passed
    neighbour_fails,
  };
  State state = State::passed;
  std::uint64_t seed = 0;  // of the run that says so
  std::string missing;     // stale, moved: the events that did not happen
  std::optional<Failure> failure;
  bool same_failure = false;  // as the one it was kept for
};

inline constexpr std::uint64_t kNeighbours = 50;

// `run_seed` runs the scenario with a seed; none when a broken invariant stopped it, and says why in the failure.
struct SeedRun {
  std::optional<RunResult> run;
  std::optional<Failure> failure;
};
Replayed replay(const Scenario& regression, const std::function<SeedRun(std::uint64_t)>& run_seed);

}  // namespace tenure::sim
