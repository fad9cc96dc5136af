// A scenario in a test: read from text, run, and what came of it in words that a failing test can print.
//
// The protocol need not be one of ours: whoever brings an ElectorKind of their own names it in the text and hands it in
// (docs/property-tests.md). Checkers judge it by what it notes: Believes and StepsDown are the contract.
//
// Thread rule: one run() at a time, because it takes a CHECK that fails for a failure of the run (core/base/check.h).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "format/build/parse.h"
#include "format/plans/plans.h"
#include "lab/hunt/failure.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::testing {

struct Outcome {
  sim::Scenario scenario;  // as it ran; has its seed
  sim::RunResult result;
  // Why it failed; none for a pass, and none when it was inconclusive.
  std::optional<sim::Failure> failure;

  // It passed: what is demanded was looked at, and holds. A run in which nobody looked is not ok, nor is one in which
  // nobody led, two led and the scenario does not say that it may be so, or a fault never struck (sim/runner/judge.h).
  bool ok() const { return verdict() == sim::Verdict::pass; }
  sim::Verdict verdict() const { return result.verdict; }
  // What a checker saw, whether or not the run was held to it: for a property that is stricter than the claims.
  // REQUIRES: `checker` is one that applies to the scenario.
  std::uint64_t violations(std::string_view checker) const;
  // How often it could have failed.
  std::uint64_t opportunities(std::string_view checker) const;
  // Why it failed, and the story of it; one line for a run that did not, and what was never looked at.
  std::string text() const;
  // The scenario as a file that gives the same run: for `tenure run`, or for scenario_from() with an own protocol.
  std::string file() const;
};

// The text and the file: EXPECT_TRUE(outcome.ok()) << outcome;
std::ostream& operator<<(std::ostream& stream, const Outcome& outcome);

// With the scenario's own seed, or 1.
Outcome run(const sim::Scenario& scenario);
Outcome run(const sim::Scenario& scenario, std::uint64_t seed);
// Of a failure that was kept, the story is that of the checker it was kept for.
Outcome run(const sim::ScenarioFile& file);
Outcome run(const sim::ScenarioFile& file, std::uint64_t seed);

// What a scenario file's text says (docs/scenarios.md): the scenario, and its [hunt]. `own` is a protocol that it may
// name besides those of the registry. Throws std::invalid_argument, with every error in the text.
sim::ScenarioFile scenario_from(std::string_view text, const ElectorKind* own = nullptr,
                                const TimeZones& zones = only_utc());

}  // namespace tenure::testing
