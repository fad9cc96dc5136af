#include "lab/calibrate/kolmogorov_smirnov.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/hash.h"

namespace tenure::lab {
namespace {

using Sample = std::vector<std::int64_t>;

Sample drawn(std::uint64_t seed, std::size_t count, std::uint64_t span, std::int64_t from = 0) {
  Sample sample;
  Hasher noise(seed);  // running: hashes of 0, 1, 2, … alone are more even than chance
  for (std::size_t i = 0; i < count; ++i)
    sample.push_back(from + static_cast<std::int64_t>(reduce(noise.add(i).add(seed).value(), span)));
  return sample;
}

TEST(KolmogorovSmirnov, is_the_largest_difference_of_shares) {
  const SampleDistance distance = distance_between({1, 2, 3, 4}, {3, 4, 5, 6, 7});
  EXPECT_EQ(distance.ppm, 600'000);  // at 4: all of the first, and two of five
  EXPECT_EQ(distance.at, 4);
  EXPECT_EQ(distance.first_share, 1'000'000);
  EXPECT_EQ(distance.other_share, 400'000);
}

TEST(KolmogorovSmirnov, of_equal_and_of_separate_samples) {
  EXPECT_EQ(distance_between({5, 1, 5}, {1, 5, 5, 5, 1, 5}).ppm, 0);
  EXPECT_EQ(distance_between({9, 8}, {1, 2, 3}).ppm, 1'000'000);
}

// Equal values are one step of both, and not one after the other.
TEST(KolmogorovSmirnov, takes_equal_values_together) {
  EXPECT_EQ(distance_between({1, 1, 1, 1}, {1, 1}).ppm, 0);
  EXPECT_EQ(distance_between({1, 1, 2}, {1, 2, 2}).ppm, 333'333);
}

RC_GTEST_PROP(KolmogorovSmirnovProperty, is_the_definition, ()) {
  const auto values = rc::gen::nonEmpty(rc::gen::container<Sample>(rc::gen::inRange<std::int64_t>(-5, 6)));
  const Sample first = *values;
  const Sample other = *values;
  std::int64_t largest = 0;
  const auto count = [](const Sample& sample, std::int64_t most) {
    return std::ranges::count_if(sample, [most](std::int64_t value) { return value <= most; });
  };
  for (std::int64_t most = -6; most <= 6; ++most)
    largest = std::max(
        largest, std::abs(count(first, most) * std::ssize(other) - count(other, most) * std::ssize(first)));
  RC_ASSERT(distance_between(first, other).ppm ==
            largest * 1'000'000 / (std::ssize(first) * std::ssize(other)));
  RC_ASSERT(distance_between(other, first).ppm == distance_between(first, other).ppm);
}

// As tables print them: 1.358, 1.628 and 1.949 times the root of (n + m) / nm.
TEST(KolmogorovSmirnov, has_the_critical_distances_of_tables) {
  EXPECT_NEAR(static_cast<double>(critical_distance_ppm(200, 1'000, Significance::five_percent)), 105'196,
              100);
  EXPECT_NEAR(static_cast<double>(critical_distance_ppm(200, 1'000, Significance::one_percent)), 126'072,
              100);
  EXPECT_NEAR(static_cast<double>(critical_distance_ppm(50, 50, Significance::tenth_of_a_percent)), 389'900,
              200);
  EXPECT_GT(critical_distance_ppm(1, 1, Significance::one_percent), 1'000'000);
  EXPECT_GT(critical_distance_ppm(1'000'000'000, 1'000'000'000, Significance::one_percent), 0);
}

TEST(KolmogorovSmirnov, samples_of_one_distribution_seldom_exceed_it_and_others_do) {
  const std::int64_t critical = critical_distance_ppm(200, 1'000, Significance::five_percent);
  int beyond = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    if (distance_between(drawn(2 * seed, 200, 1'000'000), drawn(2 * seed + 1, 1'000, 1'000'000)).ppm >
        critical)
      ++beyond;
  EXPECT_LE(beyond, 42);  // five deviations above 20
  EXPECT_GE(beyond, 2);
  EXPECT_GT(distance_between(drawn(1, 200, 1'000'000), drawn(2, 1'000, 1'000'000, 200'000)).ppm, critical);
}

}  // namespace
}  // namespace tenure::lab
