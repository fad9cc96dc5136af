// A scenario in a test: read from text, run, and its outcome in words that a failing test can print.
//
// The protocol can be your own: name your ElectorKind in the text and hand it in (docs/property-tests.md). Checkers
// judge it by its notes: Believes and StepsDown are the contract.
//
// Thread rule: one run() at a time, because run() turns a failed CHECK into a failure of the run (core/base/check.h).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "format/parse/parse.h"
#include "format/plans/plans.h"
#include "lab/hunt/failure.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::testing {

struct Outcome {
  sim::Scenario scenario;  // as it ran; has its seed
  sim::RunResult result;
  // Why it failed; nullopt for a pass or an inconclusive run.
  std::optional<lab::Failure> failure;

  // It passed: every demand was examined, and holds. These runs are not ok (sim/runner/judge.h): a demand had no
  // opportunity; nobody led; two led, and the scenario does not say what to make of that; a fault never struck.
  bool ok() const { return verdict() == sim::Verdict::pass; }
  sim::Verdict verdict() const { return result.verdict; }
  // The violations that a checker saw, demanded or not: for a property that is stricter than the claims. REQUIRES:
  // `checker` is one that applies to the scenario.
  std::uint64_t violations(std::string_view checker) const;
  // How often the checker could have failed.
  std::uint64_t opportunities(std::string_view checker) const;
  // Why it failed, and its story. If it did not fail: one line, and what was never examined.
  std::string text() const;
  // The scenario as a file that gives the same run: for `tenure run`, or for scenario_from() with an own protocol.
  std::string file() const;
};

// The text and the file: EXPECT_TRUE(outcome.ok()) << outcome;
std::ostream& operator<<(std::ostream& stream, const Outcome& outcome);

// With the scenario's own seed, or 1.
Outcome run(const sim::Scenario& scenario);
Outcome run(const sim::Scenario& scenario, std::uint64_t seed);
// For a saved regression, the story is that of the checker for which it was saved.
Outcome run(const format::ScenarioFile& file);
Outcome run(const format::ScenarioFile& file, std::uint64_t seed);

// Reads a scenario file's text (docs/scenarios.md): the scenario, and its [hunt]. `own`: a protocol that the text may
// name besides those of the registry. Throws std::invalid_argument, with every error in the text.
format::ScenarioFile scenario_from(std::string_view text, const ElectorKind* own = nullptr,
                                   const TimeZones& zones = only_utc());

}  // namespace tenure::testing
