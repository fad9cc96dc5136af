#include "adapters/store/answer.h"

#include <gtest/gtest.h>

#include <set>

namespace tenure {
namespace {

TEST(Answer, what_was_not_executed_says_why) {
  const Answer busy = rejected(Trouble::busy, "locked");
  EXPECT_EQ(busy.outcome, Outcome::rejected);
  EXPECT_EQ(busy.rejection, Rejection::overloaded);
  EXPECT_EQ(busy.message, "locked");
  EXPECT_EQ(rejected(Trouble::corrupt, "").rejection, Rejection::unreachable);
}

TEST(Answer, what_may_have_been_executed_is_not_called_rejected) {
  const Answer answer = unknown(Trouble::lost, "the connection broke");
  EXPECT_EQ(answer.outcome, Outcome::unknown);
  EXPECT_EQ(answer.rejection, Rejection::none);
  EXPECT_EQ(answer.trouble, Trouble::lost);
}

TEST(Answer, every_trouble_has_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Trouble::failed); ++i) names.insert(name_of(static_cast<Trouble>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Trouble::failed) + 1);
  EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace tenure
