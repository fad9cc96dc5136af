// The Pareto order against its definition.
#include "lab/tune/pareto.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tenure::lab {
namespace {

rc::Gen<std::vector<Point>> points() {
  return rc::gen::container<std::vector<Point>>(
      rc::gen::container<Point>(3, rc::gen::inRange<std::int64_t>(0, 6)));
}

TEST(Domination, wants_better_somewhere_and_worse_nowhere) {
  EXPECT_TRUE(dominates({1, 2}, {1, 3}));
  EXPECT_FALSE(dominates({1, 2}, {1, 2}));
  EXPECT_FALSE(dominates({0, 3}, {1, 2}));
}

RC_GTEST_PROP(ParetoSet, is_what_none_dominates_and_dominates_all_else, ()) {
  const std::vector<Point> all = *points();
  const std::vector<std::size_t> set = pareto_set(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool in = std::find(set.begin(), set.end(), i) != set.end();
    const bool beaten =
        std::any_of(set.begin(), set.end(), [&](std::size_t j) { return dominates(all[j], all[i]); });
    RC_ASSERT(in != beaten);
  }
}

RC_GTEST_PROP(Layers, put_a_point_below_all_that_dominate_it, ()) {
  const std::vector<Point> all = *points();
  const std::vector<std::size_t> layers = layers_of(all);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j)
      if (dominates(all[i], all[j])) RC_ASSERT(layers[i] < layers[j]);
}

TEST(Distances, do_not_depend_on_units) {
  const std::vector<Point> small = {{0, 9}, {2, 3}, {9, 0}, {9, 9}};
  std::vector<Point> large = small;
  for (Point& point : large) point[1] *= 1'000'000;
  EXPECT_EQ(distances(small), distances(large));
  const std::vector<std::int64_t> far = distances(small);
  EXPECT_EQ(std::min_element(far.begin(), far.end()) - far.begin(), 1);
}

}  // namespace
}  // namespace tenure::lab
