// What stops the time after which a leader lets another try, and what starts it again.
#include "core/scheduler/fenced_outbox/stall_watch.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

constexpr Duration kBound = Duration::seconds(15);
constexpr const char* kWhy = "cannot fire: what is due cannot be committed";

MonoTime at(std::int64_t seconds) { return MonoTime{} + Duration::seconds(seconds); }

TEST(StallWatch, counts_from_when_it_was_first_stuck) {
  StallWatch watch{kBound};
  watch.see("", at(1));
  EXPECT_EQ(watch.deadline(), MonoTime::max());
  watch.see(kWhy, at(10));
  watch.see("cannot fire: what is due cannot be read", at(12));
  EXPECT_EQ(watch.deadline(), at(25));
  watch.covered(at(20));
  EXPECT_EQ(watch.deadline(), at(35));
  watch.see("", at(30));
  EXPECT_EQ(watch.deadline(), MonoTime::max());
}

TEST(StallWatch, stands_still_while_it_waits_by_design) {
  StallWatch watch{kBound};
  watch.wait(at(5));
  EXPECT_EQ(watch.deadline(), MonoTime::max());
  watch.see(kWhy, at(10));
  watch.wait(at(20));
  watch.wait(at(25));
  EXPECT_EQ(watch.deadline(), MonoTime::max());
  watch.see(kWhy, at(100));
  EXPECT_EQ(watch.deadline(), at(105)) << "ten seconds have counted";
}

TEST(StallWatch, three_failures_are_enough_when_the_first_is_old_enough) {
  StallWatch watch{kBound};
  for (const int second : {10, 20}) {
    watch.see(kWhy, at(second));
    watch.failed(kWhy, at(second));
    watch.wait(at(second));
    EXPECT_EQ(watch.deadline(), MonoTime::max());
  }
  watch.failed(kWhy, at(24));
  EXPECT_EQ(watch.deadline(), MonoTime::max()) << "the first was 14 s ago";
  watch.failed(kWhy, at(25));
  EXPECT_LE(watch.deadline(), at(25));
  EXPECT_EQ(watch.step_aside().why, kWhy);
  EXPECT_EQ(watch.deadline(), MonoTime::max());
}

TEST(StallWatch, forgets_failures_once_a_row_is_covered) {
  StallWatch watch{kBound};
  for (const int second : {10, 20}) watch.failed(kWhy, at(second));
  watch.covered(at(21));
  watch.failed(kWhy, at(40));
  EXPECT_EQ(watch.deadline(), MonoTime::max());
}

TEST(StallWatch, goes_on_with_each_page_but_not_beyond_three_failures) {
  StallWatch watch{kBound};
  watch.see(kWhy, at(10));
  for (const int second : {11, 18, 25}) {
    EXPECT_GT(watch.deadline(), at(second));
    watch.failed(kWhy, at(second));
    watch.went_on(at(second));
  }
  EXPECT_EQ(watch.deadline(), at(40)) << "the first failed 14 s ago";
  watch.failed(kWhy, at(26));
  EXPECT_LE(watch.deadline(), at(26));
}

TEST(StallWatch, never_asks_without_a_bound) {
  StallWatch watch{Duration{}};
  watch.see(kWhy, at(10));
  for (const int second : {10, 20, 30, 40}) watch.failed(kWhy, at(second));
  EXPECT_EQ(watch.deadline(), MonoTime::max());
}

}  // namespace
}  // namespace tenure
