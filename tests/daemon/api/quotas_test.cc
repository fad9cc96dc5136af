// What a token may ask for at once, and when there is room again. tests/daemon/access_test.py has quotas of schedules.
#include "daemon/api/quotas.h"

#include <gtest/gtest.h>

namespace tenure::daemon {
namespace {

TEST(RunBudget, gives_one_backfill_at_once_and_fills_up_at_the_rate) {
  RunBudget budget;
  const RunBudget::Clock::time_point begin;
  const auto take = [&](std::int64_t runs, std::chrono::milliseconds at) {
    return budget.take("shop", 5, runs, begin + at);
  };
  using std::chrono::milliseconds;
  EXPECT_EQ(take(1'000, milliseconds(0)), std::nullopt);
  EXPECT_EQ(take(1, milliseconds(0)), Duration::millis(200));
  EXPECT_EQ(take(1, milliseconds(199)), Duration::millis(1));
  EXPECT_EQ(take(1, milliseconds(200)), std::nullopt);
  EXPECT_EQ(take(1, milliseconds(200)), Duration::millis(200));
  EXPECT_EQ(budget.take("other", 5, 1, begin), std::nullopt) << "each token has its own";
  EXPECT_EQ(take(1'001, std::chrono::hours(9'000)), Duration::millis(200))
      << "it has no more than a full one";
  EXPECT_EQ(take(1'000, std::chrono::hours(9'000)), std::nullopt);
}

TEST(RunBudget, gives_a_minute_of_a_high_rate) {
  RunBudget budget;
  EXPECT_EQ(budget.take("shop", 1'000, 60'000, {}), std::nullopt);
  EXPECT_NE(budget.take("shop", 1'000, 1, {}), std::nullopt);
}

}  // namespace
}  // namespace tenure::daemon
