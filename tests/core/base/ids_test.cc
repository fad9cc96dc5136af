#include "core/base/ids.h"

#include <gtest/gtest.h>

#include <concepts>

namespace tenure {
namespace {

static_assert(!std::convertible_to<NodeId, ScheduleId> && !std::convertible_to<ScheduleId, NodeId>);
static_assert(!std::equality_comparable_with<NodeId, StoreId>);

TEST(Incarnation, orders_by_node_and_then_by_life) {
  const Incarnation first{NodeId{1}, 1};
  const Incarnation second{NodeId{1}, 2};
  const Incarnation other{NodeId{2}, 1};
  EXPECT_LT(first, second);
  EXPECT_LT(second, other);
  EXPECT_NE(first, second) << "what an earlier life asked for is not this one's";
}

TEST(RequestId, orders_by_incarnation_and_then_by_counter) {
  const RequestId early{{NodeId{1}, 1}, 9};
  const RequestId late{{NodeId{1}, 2}, 1};
  EXPECT_LT(early, late);
  EXPECT_LT(late, (RequestId{{NodeId{1}, 2}, 2}));
}

TEST(TimerId, the_same_name_in_two_parts_is_two_timers) {
  EXPECT_NE((TimerId{Part::elector, 1}), (TimerId{Part::scheduler, 1}));
}

TEST(Token, orders_by_branch_before_epoch) {
  EXPECT_TRUE((Token{1, 5, 0}).older_than(Token{1, 6, 0}));
  EXPECT_FALSE((Token{1, 6, 0}).older_than(Token{1, 5, 0}));
  EXPECT_TRUE((Token{1, 9, 0}).older_than(Token{2, 1, 0})) << "a promotion outranks every epoch before it";
  EXPECT_FALSE((Token{2, 1, 0}).older_than(Token{1, 9, 0}));
}

TEST(Token, nonces_differ_without_an_order) {
  const Token a{1, 5, 17};
  const Token b{1, 5, 18};
  EXPECT_NE(a, b);
  EXPECT_FALSE(a.older_than(b));
  EXPECT_FALSE(b.older_than(a));
  EXPECT_FALSE(a.older_than(a));
}

}  // namespace
}  // namespace tenure
