// A fault whose durations have a distribution: strikes are drawn from it, and not evenly between its ends.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/faults/plan.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

TEST(DurationSpread, strikes_are_as_long_as_the_table_says) {
  const Scenario scenario =
      parsed(small("[[fault]]\nevery = \"50ms\"\naction = \"pause\"\ntarget = \"leader\"\n"
                   "duration = { min = \"1ms\", p50 = \"2ms\", p90 = \"3ms\", max = \"1s\" }\n"));
  const std::vector<FaultSetting> plan = draw_plan(scenario, KeyedRng(5));
  ASSERT_GT(plan.size(), 200U);
  const auto up_to = [&](Duration most) {
    return std::count_if(plan.begin(), plan.end(),
                         [&](const FaultSetting& f) { return f.duration->high <= most; });
  };
  const auto count = static_cast<std::ptrdiff_t>(plan.size());
  EXPECT_NEAR(static_cast<double>(up_to(Duration::millis(2))), static_cast<double>(count) / 2, 40);
  EXPECT_GT(up_to(Duration::millis(3)), count * 8 / 10);
  EXPECT_LT(up_to(Duration::millis(3)), count) << "some are long";
  for (const FaultSetting& strike : plan) {
    EXPECT_EQ(strike.duration->low, strike.duration->high);
    EXPECT_FALSE(strike.duration_spread) << "a plan is literal";
    EXPECT_GE(strike.duration->low, Duration::millis(1));
  }
}

}  // namespace
}  // namespace tenure::sim
