#include "sim/kernel/keyed_rng.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace tenure::sim {
namespace {

TEST(KeyedRng, is_a_function_of_its_keys_alone) {
  EXPECT_EQ(KeyedRng(7).of("link").of(3).bits(), KeyedRng(7).of("link").of(3).bits());
  EXPECT_NE(KeyedRng(7).of("link").of(3).bits(), KeyedRng(8).of("link").of(3).bits());
  EXPECT_NE(KeyedRng(7).of("link").of(3).bits(), KeyedRng(7).of("link").of(4).bits());
  EXPECT_NE(KeyedRng(7).of("link").of(3).bits(), KeyedRng(7).of("fault").of(3).bits());
  EXPECT_NE(KeyedRng(7).of(1).of(2).bits(), KeyedRng(7).of(2).of(1).bits());
}

TEST(KeyedRng, has_the_same_values_on_every_compiler) {
  EXPECT_EQ(KeyedRng(42).of("a").of(1).bits(), 15628104586844798144U);
}

TEST(KeyedRng, fills_a_range_evenly_and_reaches_both_ends) {
  std::array<int, 10> counts{};
  for (std::uint64_t i = 0; i < 100'000; ++i)
    ++counts[static_cast<std::size_t>(KeyedRng(1).of(i).between(0, 9))];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
  EXPECT_EQ(KeyedRng(1).between(5, 5), 5);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::int64_t drawn = KeyedRng(1).of(i).between(INT64_MIN, INT64_MAX);
    static_cast<void>(drawn);
    const std::int64_t small = KeyedRng(1).of(i).between(-3, -1);
    EXPECT_TRUE(-3 <= small && small <= -1);
  }
}

TEST(KeyedRng, neighbouring_keys_do_not_collide) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (std::uint64_t key = 0; key < 1000; ++key) seen.insert(KeyedRng(seed).of(key).bits());
  EXPECT_EQ(seen.size(), 100'000U);
}

}  // namespace
}  // namespace tenure::sim
