#include "sim/models/quantiles.h"

#include <gtest/gtest.h>

namespace tenure::sim {
namespace {

TEST(Quantiles, are_linear_between_their_points) {
  const auto table = Quantiles::table(
      {{0, Duration::millis(1)}, {500'000, Duration::millis(2)}, {Quantiles::kOne, Duration::millis(10)}});
  EXPECT_EQ(table.at(0), Duration::millis(1));
  EXPECT_EQ(table.at(250'000), Duration::micros(1'500));
  EXPECT_EQ(table.at(500'000), Duration::millis(2));
  EXPECT_EQ(table.at(750'000), Duration::millis(6));
  EXPECT_EQ(table.at(Quantiles::kOne), Duration::millis(10));
}

TEST(Quantiles, draws_have_the_quantiles_of_the_table) {
  const auto table = Quantiles::table(
      {{0, Duration{}}, {900'000, Duration::millis(9)}, {Quantiles::kOne, Duration::seconds(1)}});
  int below = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i)
    below += table.draw(KeyedRng(3).of(i)) <= Duration::millis(9) ? 1 : 0;
  EXPECT_NEAR(below, 90'000, 500);
}

TEST(Quantiles, have_the_mean_of_their_draws) {
  const auto table = Quantiles::table(
      {{0, Duration::millis(1)}, {500'000, Duration::millis(3)}, {Quantiles::kOne, Duration::millis(9)}});
  EXPECT_EQ(table.mean(), Duration::millis(4));
  EXPECT_EQ(Quantiles::constant(Duration::hours(2'000'000)).mean(), Duration::hours(2'000'000));
}

TEST(Quantiles, a_constant_is_always_that) {
  EXPECT_EQ(Quantiles::constant(Duration::millis(5)).draw(KeyedRng(1)), Duration::millis(5));
  EXPECT_EQ(Quantiles().draw(KeyedRng(1)), Duration{});
}

}  // namespace
}  // namespace tenure::sim
