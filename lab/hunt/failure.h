// A failure, and when two of them are the same: the same checker, saying the same but for names and numbers.
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

namespace tenure::sim {

struct Failure {
  std::string checker;  // or kBrokenInvariant
  std::string message;
  TrueTime at;
  bool same_as(const Failure& other) const;
};

// What a run was judged by and failed: the first violation of each such checker, the earliest first. None when it did
// not fail.
std::vector<Failure> failures_of(const RunResult& result);
// The first of them.
std::optional<Failure> failure_of(const RunResult& result);

// The one among them that is the same; null when there is none.
const Failure* find_same(const std::vector<Failure>& failures, const Failure& failure);

// A message without what differs from run to run: words with a digit in them become "#".
std::string shape_of(std::string_view message);

// Runs a scenario with its own seed, and says how it failed. How broken invariants are caught is the caller's business.
using TryCase = std::function<std::vector<Failure>(const Scenario&)>;

}  // namespace tenure::sim
