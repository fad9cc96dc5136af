// Checkers beside the second judge: what each finds in one history.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sim/checkers/checker.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

// Simulates a scenario, and returns all that happened.
History simulate(const sim::Scenario& scenario, std::uint64_t seed);

using Names = std::set<std::string_view>;
// Of those that are judged twice and apply to this scenario: what their checkers find first in the history, which they
// are shown as if it happened; nullopt: nothing. `asked`: of these alone; empty: of all.
std::map<std::string_view, std::optional<sim::Violation>> found_in(const Case& run, const Names& asked = {});

// Where the two differ, in words, one a line; empty when they agree.
std::string differences(const Case& run, const Names& except = {});

}  // namespace tenure::judging
