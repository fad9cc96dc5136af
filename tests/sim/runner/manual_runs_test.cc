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

// Its answer is lost at once and its commit in the failover, so the client asks again; by then it has begun in the
// outside world, because the leader is told of it. No slot comes due, so what is refused is the manual run.
TEST(ManualRuns, one_that_is_asked_for_again_after_it_was_lost_is_refused_as_a_duplicate) {
  const Scenario scenario = parsed(
      "format = 1\nname = \"test\"\n[sim]\nduration = \"2m\"\ntail = \"2m\"\n"
      "[cluster]\ninstances = 3\nprotocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
      "start_spread = \"5s\"\n"
      "[[schedule]]\nname = \"yearly\"\nevery = \"8760h\"\nstart = \"2026-06-01T00:00:00Z\"\n"
      "[[change]]\nat = \"1m\"\naction = \"trigger\"\nschedule = \"yearly\"\n"
      "[[fault]]\nat = \"59990ms\"\naction = \"store-ack-lost\"\nduration = \"12ms\"\n"
      "[[fault]]\nat = \"58s\"\naction = \"store-failover\"\nlag = \"5500ms\"\n"
      "[expect]\neventually = [\"leader-elected\"]\nsometimes = [\"duplicate-refused\"]\n");
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult result = run(scenario, seed);
    EXPECT_NE(result.verdict, Verdict::fail) << seed;
    EXPECT_EQ(opportunities(result, "no-duplicate-fire"), 1U) << seed;
    refused += opportunities(result, "duplicate-refused") > 0 ? 1 : 0;
  }
  EXPECT_GT(refused, 5);
}

}  // namespace
}  // namespace tenure::sim
