// A threshold that fails says which moment made it fail.
#include "sim/runner/worst_samples.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/runner/run.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

const CheckResult& threshold_of(const RunResult& result) {
  for (const CheckResult& check : result.checks)
    if (check.kind == CheckResult::Kind::threshold) return check;
  ADD_FAILURE() << "no threshold";
  return result.checks.front();
}

const char* const kTwoFaults =
    "[[fault]]\nat = \"20s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"1s\"\n"
    "[[fault]]\nat = \"70s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"40s\"\n";

RunResult run_with(const std::string& threshold) {
  return run(parsed(small(std::string(kTwoFaults) + "[thresholds]\n" + threshold + "\n")), 1);
}

TEST(WorstSample, of_a_failover_is_the_longest_with_its_fault_and_who_came_after_whom) {
  const RunResult result = run_with("failover_seconds = \"mean < 1\"");
  const CheckResult& check = threshold_of(result);
  ASSERT_EQ(result.metrics.failover.count(), 2U);
  ASSERT_EQ(check.violations.size(), 1U);
  const WorstMoment& worst = *result.metrics.worst_failover;
  EXPECT_EQ(worst.value, result.metrics.failover.max());
  EXPECT_EQ(check.violations[0].at, worst.to);
  const FaultRun& fault = result.faults[worst.fault - 1];
  EXPECT_EQ(worst.from, fault.at) << "it counts from the fault";
  EXPECT_EQ(check.violations[0].message.find("-"), std::string::npos) << check.violations[0].message;
  EXPECT_NE(check.violations[0].message.find(", after n"), std::string::npos) << check.violations[0].message;
  EXPECT_NE(check.violations[0].message.find("because of " + name_of(fault) + " (" + fault.detail + ")"),
            std::string::npos)
      << check.violations[0].message;
}

TEST(WorstSample, of_a_fire_names_the_slot_and_who_was_late) {
  const RunResult result = run_with("fire_lateness_seconds = \"max < 0.5\"");
  const CheckResult& check = threshold_of(result);
  ASSERT_EQ(check.violations.size(), 1U);
  EXPECT_EQ(result.metrics.worst_fire_lateness->value, result.metrics.fire_lateness.max());
  EXPECT_NE(check.violations[0].message.find("job 2026-01-01T00:01:10Z began on n"), std::string::npos)
      << check.violations[0].message;
  EXPECT_NE(check.violations[0].message.find("the last fault before it was fault "), std::string::npos);
}

TEST(WorstSample, is_not_told_of_a_threshold_that_holds_or_asks_for_more) {
  EXPECT_TRUE(threshold_of(run_with("failover_seconds = \"max < 100\"")).violations.empty());
  EXPECT_TRUE(threshold_of(run_with("failover_seconds = \"max > 100\"")).violations.empty());
  EXPECT_TRUE(threshold_of(run_with("store_requests = \"max < 1\"")).violations.empty()) << "a count";
}

TEST(WorstSample, of_the_safety_margin_is_the_smallest_gap) {
  const RunResult result = run_with("safety_margin_seconds = \"min > 100\"");
  const CheckResult& check = threshold_of(result);
  ASSERT_EQ(check.violations.size(), 1U);
  EXPECT_EQ(result.metrics.worst_safety_margin->value, *result.metrics.safety_margin);
  EXPECT_NE(check.violations[0].message.find(": a gap from "), std::string::npos)
      << check.violations[0].message;
}

}  // namespace
}  // namespace tenure::sim
