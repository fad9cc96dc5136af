#include "adapters/store/answer.h"

#include <gtest/gtest.h>

#include <set>

namespace tenure {
namespace {

TEST(Answer, what_was_not_executed_says_why) {
  const Answer busy = rejected(StoreError::busy, "locked");
  EXPECT_EQ(busy.outcome, RequestOutcome::rejected);
  EXPECT_EQ(busy.rejection, Rejection::overloaded);
  EXPECT_EQ(busy.message, "locked");
  EXPECT_EQ(rejected(StoreError::corrupt, "").rejection, Rejection::unreachable);
}

TEST(Answer, what_may_have_been_executed_is_not_called_rejected) {
  const Answer answer = unknown(StoreError::lost, "the connection broke");
  EXPECT_EQ(answer.outcome, RequestOutcome::unknown);
  EXPECT_EQ(answer.rejection, Rejection::none);
  EXPECT_EQ(answer.trouble, StoreError::lost);
}

TEST(Answer, every_trouble_has_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(StoreError::failed); ++i)
    names.insert(name_of(static_cast<StoreError>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(StoreError::failed) + 1);
  EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace tenure
