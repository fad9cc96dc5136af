// Leaders that can renew and cannot fire: what the faults do, and who gets the lease then.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

std::string outage(const std::string& action, const std::string& more) {
  return "[[fault]]\nat = \"30s\"\naction = \"" + action + "\"\ntarget = \"leader\"\nduration = \"60s\"\n" +
         more + "\n";
}
std::string patient() { return "[scheduling]\nstall_timeout = \"1h\"\n"; }

Duration latest_fire(const RunResult& result) { return result.metrics.fire_lateness.max(); }

void expect_all_well(const RunResult& result) {
  EXPECT_EQ(result.verdict, Verdict::pass);
  for (const CheckResult& check : result.checks) EXPECT_EQ(check.violation_count, 0u) << check.name;
}

TEST(RightsLost, cost_the_leader_its_lease_and_are_made_up_for_by_another) {
  const RunResult result = run(parsed(small(outage("rights-lost", ""))), 1);
  expect_all_well(result);
  EXPECT_LT(latest_fire(result), Duration::seconds(20));
  EXPECT_EQ(result.metrics.epochs, 2u) << "it goes behind the others, and stays there";
}

TEST(RightsLost, stop_everything_for_as_long_as_nobody_steps_aside) {
  const RunResult result = run(parsed(small(patient() + outage("rights-lost", ""))), 1);
  EXPECT_GT(latest_fire(result), Duration::seconds(50));
  EXPECT_EQ(result.metrics.epochs, 1u);
}

TEST(StorePartial, of_any_kind_ends_with_the_lease_where_it_can_be_used) {
  for (const std::string of : {"scheduler", "commits", "reads", "due", "outbox", "changes", "elector"}) {
    for (const std::string answer : {"rejected", "none"}) {
      SCOPED_TRACE(of + ", answered: " + answer);
      const RunResult result =
          run(parsed(small(outage("store-partial", "of = \"" + of + "\"\nanswer = \"" + answer + "\""))), 1);
      expect_all_well(result);
      EXPECT_LT(latest_fire(result), Duration::seconds(30));
    }
  }
}

// Nobody can fire, so nobody is any better; but the lease does not go round faster than it has to.
TEST(StorePartial, that_hits_all_alike_does_not_make_the_cluster_spin) {
  const RunResult result = run(parsed(small("[[fault]]\nat = \"30s\"\naction = \"store-partial\"\n"
                                            "of = \"commits\"\nduration = \"80s\"\n")),
                               1);
  expect_all_well(result);
  EXPECT_GE(result.metrics.epochs, 3u);
  EXPECT_LE(result.metrics.epochs, 7u);
}

TEST(PoisonDefinition, of_the_leader_gives_one_that_can_read_it_its_turn_and_delays_nothing_else) {
  const std::string two = "[[schedule]]\nname = \"other\"\nevery = \"1s\"\n";
  for (const std::string which : {"first", "all"}) {
    const RunResult result =
        run(parsed(small(two + outage("poison-definition", "which = \"" + which + "\""))), 1);
    expect_all_well(result);
    EXPECT_LT(latest_fire(result), Duration::seconds(40)) << which;
  }
}

TEST(PoisonDefinition, that_nobody_can_read_sends_the_lease_round_once_and_is_caught_up_with_in_the_end) {
  const RunResult result =
      run(parsed(small("[[schedule]]\nname = \"other\"\nevery = \"1s\"\n[[fault]]\nat = \"20s\"\n"
                       "action = \"poison-definition\"\ntarget = \"all\"\nduration = \"95s\"\n")),
          1);
  expect_all_well(result);
  EXPECT_LE(result.metrics.epochs, 6u);
}

TEST(FailingWork, is_begun_again_and_delays_nothing_else) {
  const std::string every_second = "[[schedule]]\nname = \"other\"\nevery = \"1s\"\n";
  const RunResult failing = run(parsed(small(every_second + "[work]\nfailing = 0.3\n")), 1);
  expect_all_well(failing);
  EXPECT_LT(latest_fire(failing), Duration::seconds(1 + 2 + 4 + 8 + 1)) << "the fifth time that it is begun";
  EXPECT_LT(failing.metrics.fire_lateness.percentile(500'000), Duration::millis(50));
}

}  // namespace
}  // namespace tenure::sim
