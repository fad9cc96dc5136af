// What starts the time after which a leader lets another try, and what ends it.
#include "core/scheduler/fenced_outbox/stall_watch.h"

#include <gtest/gtest.h>

namespace tenure::stall_watch_tests {
namespace {

constexpr Duration kBound = Duration::seconds(15);
constexpr const char* kWhy = "cannot fire: what is due cannot be committed";

MonoTime at(std::int64_t seconds) { return MonoTime{} + Duration::seconds(seconds); }

TEST(StallWatch, counts_from_when_it_was_first_wanted) {
  StallWatch watch{kBound};
  watch.see("", at(1));
  EXPECT_EQ(watch.deadline(), MonoTime::max());
  watch.see("cannot fire: what is due cannot be read", at(10));
  watch.see("cannot fire: the definitions of what is due cannot be read", at(12));
  EXPECT_EQ(watch.deadline(), at(25));
  EXPECT_EQ(watch.step_aside().why, "cannot fire: the definitions of what is due cannot be read");
  watch.see(kWhy, at(30));
  watch.see("", at(40));
  EXPECT_EQ(watch.deadline(), MonoTime::max()) << "it succeeded";
}

TEST(StallWatch, gives_each_page_the_time_of_a_request) {
  StallWatch watch{kBound};
  watch.went_on(Duration::seconds(3), at(5));
  EXPECT_EQ(watch.deadline(), MonoTime::max());
  watch.see(kWhy, at(10));
  watch.went_on(Duration::seconds(3), at(11));
  EXPECT_EQ(watch.deadline(), at(26));
  watch.went_on(Duration::seconds(3), at(20));
  watch.see(kWhy, at(21));
  EXPECT_EQ(watch.deadline(), at(29));
}

TEST(StallWatch, counts_from_the_first_attempt_that_failed) {
  StallWatch watch{kBound};
  for (const int second : {10, 3'000}) {
    watch.failed(kWhy, at(second));
    EXPECT_EQ(watch.deadline(), MonoTime::max()) << "fewer than three are an accident";
  }
  watch.failed(kWhy, at(6'000));
  EXPECT_EQ(watch.deadline(), at(6'000)) << "whatever came in between, nothing was a success";
  EXPECT_EQ(watch.step_aside().why, kWhy);
  EXPECT_EQ(watch.deadline(), MonoTime::max());
  for (const int second : {7'001, 7'002, 7'003}) watch.failed(kWhy, at(second));
  EXPECT_EQ(watch.deadline(), at(7'016));
}

TEST(StallWatch, is_not_stuck_while_its_latest_attempt_has_not_failed) {
  StallWatch watch{kBound};
  for (const int second : {10, 11, 12}) watch.failed(kWhy, at(second));
  watch.may_go_on();
  EXPECT_EQ(watch.deadline(), MonoTime::max()) << "a blip, and nothing has been tried since";
  watch.failed(kWhy, at(900));
  EXPECT_EQ(watch.deadline(), at(905) + Duration::millis(500)) << "7.5s more, and the 2s of before";
}

TEST(StallWatch, goes_on_with_what_was_not_wanted_for_a_moment_and_forgets_it_when_that_lasts) {
  for (const int again : {17, 18}) {
    StallWatch watch{kBound};
    for (const int second : {10, 10, 10}) watch.failed(kWhy, at(second));
    watch.not_wanted(at(11));
    EXPECT_EQ(watch.deadline(), MonoTime::max());
    watch.not_wanted(at(again));
    for (int i = 0; i < 3; ++i) watch.failed(kWhy, at(again));
    EXPECT_EQ(watch.deadline(), at(again == 17 ? 25 : 33));
  }
}

TEST(StallWatch, forgets_failures_of_what_is_not_wanted_any_more) {
  StallWatch watch{kBound};
  for (const int second : {10, 11, 12}) watch.failed(kWhy, at(second));
  watch.reset();
  for (const int second : {900, 901, 902}) watch.failed(kWhy, at(second));
  EXPECT_EQ(watch.deadline(), at(915));
}

TEST(StallWatch, forgets_failures_once_an_attempt_succeeds) {
  StallWatch watch{kBound};
  for (const int second : {10, 20}) watch.failed(kWhy, at(second));
  watch.succeeded();
  for (const int second : {40, 50}) watch.failed(kWhy, at(second));
  EXPECT_EQ(watch.deadline(), MonoTime::max());
}

TEST(StallWatch, lets_the_others_go_first_for_longer_until_an_attempt_succeeds) {
  StallWatch watch{Duration::seconds(16)};
  for (const int behind : {4, 8, 16, 16}) {
    watch.see(kWhy, at(10));
    EXPECT_EQ(watch.step_aside().behind, Duration::seconds(behind));
  }
  watch.see("", at(11));
  watch.see(kWhy, at(12));
  EXPECT_EQ(watch.step_aside().behind, Duration::seconds(16)) << "nothing was wanted";
  watch.see(kWhy, at(13));
  watch.see("", at(14));
  watch.see(kWhy, at(15));
  EXPECT_EQ(watch.step_aside().behind, Duration::seconds(4)) << "it was wanted, and succeeded";
}

TEST(StallWatch, never_asks_without_a_bound) {
  StallWatch watch{Duration{}};
  watch.see(kWhy, at(10));
  for (const int second : {10, 20, 30, 40}) watch.failed(kWhy, at(second));
  EXPECT_EQ(watch.deadline(), MonoTime::max());
}

}  // namespace
}  // namespace tenure::stall_watch_tests
