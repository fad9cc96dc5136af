// What clients ask for besides the slots: one run now, and runs for slots of the past.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

std::uint64_t opportunities(const RunResult& result, std::string_view checker) {
  const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                  [&](const CheckResult& check) { return check.name == checker; });
  return found == result.checks.end() ? 0 : found->opportunities;
}

TEST(ManualRuns, a_backfill_runs_each_of_its_slots_once) {
  const std::string backfill =
      "[[schedule]]\nname = \"past\"\nevery = \"1m\"\nstart = \"2025-12-01T00:00:00Z\"\nend = "
      "\"2025-12-31T23:30:00Z\"\n";
  const std::string ask =
      "[[change]]\nat = \"1m\"\naction = \"backfill\"\nschedule = \"past\"\nfrom = \"2025-12-31T23:00:00Z\"\n"
      "to = \"2026-01-01T00:00:00Z\"\n";
  const RunResult without = run(parsed(small(backfill)), 1);
  const RunResult with = run(parsed(small(backfill + ask)), 1);
  EXPECT_EQ(without.verdict, Verdict::pass);
  EXPECT_EQ(with.verdict, Verdict::pass);
  EXPECT_EQ(opportunities(with, "no-duplicate-fire"), opportunities(without, "no-duplicate-fire") + 30);
  EXPECT_TRUE(with.tzdb.empty());
}

}  // namespace
}  // namespace tenure::sim
