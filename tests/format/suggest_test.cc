#include "format/syntax/suggest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace tenure::format {
namespace {

TEST(EditDistance, counts_insertions_deletions_replacements_and_swaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("retry_perod", "retry_period"), 1u);
  EXPECT_EQ(edit_distance("sede", "seed"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

RC_GTEST_PROP(EditDistance, is_symmetric_and_zero_only_for_equals,
              (const std::string& a, const std::string& b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

TEST(Suggestion, names_what_is_close_and_lists_what_is_few) {
  const std::vector<std::string_view> known = {"leader", "believer", "standby"};
  EXPECT_EQ(suggestion("leadr", known), "did you mean `leader`?");
  EXPECT_EQ(suggestion("nobody", known), "one of leader, believer, standby");
  EXPECT_EQ(suggestion("x", {}), "");
  EXPECT_EQ(suggestion(std::string(1000, 'l'), known), "one of leader, believer, standby");
}

TEST(Suggest, a_zone_by_its_last_part_or_in_any_case) {
  const std::vector<std::string> zones = {"America/New_York", "Europe/Berlin", "UTC"};
  EXPECT_EQ(zone_suggestion("Berlin", zones), "did you mean `Europe/Berlin`?");
  EXPECT_EQ(zone_suggestion("new york", zones), "did you mean `America/New_York`?");
  EXPECT_EQ(zone_suggestion("europe/berlin", zones), "did you mean `Europe/Berlin`?");
  EXPECT_NE(zone_suggestion("W. Europe Standard Time", zones).find("a name of Windows'"), std::string::npos);
  EXPECT_EQ(zone_suggestion("Europe/Berlni", zones), "did you mean `Europe/Berlin`?");
}

}  // namespace
}  // namespace tenure::format
