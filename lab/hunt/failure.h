// A failure. Two failures are the same if the same checker says the same, apart from names and numbers.
//
// Thread rule: pure functions; values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/plans/plans.h"
#include "sim/kernel/true_time.h"
#include "sim/runner/result.h"

namespace tenure::lab {

struct Failure {
  std::string checker;  // or kBrokenInvariant
  std::string message;
  sim::TrueTime at;
  bool same_as(const Failure& other) const;
};

// The first violation of each demanded checker that failed, the earliest first. Empty when the run did not fail.
std::vector<Failure> failures_of(const sim::RunResult& result);
// The first of them.
std::optional<Failure> failure_of(const sim::RunResult& result);

// The one among them that is the same; null when there is none.
const Failure* find_same(const std::vector<Failure>& failures, const Failure& failure);

// A message without the parts that differ between runs: words with a digit become "#".
std::string shape_of(std::string_view message);

struct SeedRun {
  std::optional<sim::RunResult> run;  // none: a broken invariant stopped it, and that is its failure
  std::vector<Failure> failures;
};

// Runs a scenario with its own seed. The caller decides how broken invariants are caught.
using TryCase = std::function<SeedRun(const sim::Scenario&)>;

}  // namespace tenure::lab
