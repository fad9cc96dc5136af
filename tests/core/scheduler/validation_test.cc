// What schedulers say of their settings: each inequality at the last value that keeps it, and at the next one.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/scheduler/scheduler_kind.h"

namespace tenure {
namespace {

using Values = std::vector<std::pair<std::string_view, std::int64_t>>;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSec = 1'000 * kMs;
constexpr std::int64_t kHour = 3'600 * kSec;

Parameters with(const Values& values) {
  const SchedulerKind* kind = &kFencedOutbox;
  Parameters parameters{kind->parameters()};
  for (const auto& [name, value] : values) parameters.set(parameters.find(name), value);
  return parameters;
}

std::vector<Complaint> complaints(const Values& values) { return kFencedOutbox.validate(with(values)); }

// The names that take them; a warning has a question mark.
std::set<std::string> names(const Values& values) {
  std::set<std::string> found;
  for (const Complaint& complaint : complaints(values))
    found.insert(std::string(complaint.accept) + (complaint.warning ? "?" : ""));
  return found;
}

using Names = std::set<std::string>;

TEST(FencedOutboxSettings, that_never_step_aside_or_do_so_too_soon_are_unsafe) {
  EXPECT_EQ(names({{"stall_timeout", 0}}), Names{"never-steps-aside"});
  EXPECT_EQ(names({{"stall_timeout", 9'200 * kMs}}), Names{"stall-within-requests"});
  EXPECT_EQ(names({{"stall_timeout", 9'200 * kMs + 1}}), Names{});
  EXPECT_EQ(names({{"retry_period", 9 * kSec}}), Names{"stall-within-requests"});
  EXPECT_EQ(names({{"request_timeout", kHour}, {"stall_timeout", kHour}}), Names{"stall-within-requests"});
}

TEST(FencedOutboxSettings, without_a_hold_are_unsafe_and_one_that_ends_with_the_next_look_is_warned_of) {
  EXPECT_EQ(names({{"clock_hold", 0}}), Names{"no-clock-hold"});
  EXPECT_EQ(names({{"clock_hold", 5 * kSec}}), Names{});
  EXPECT_EQ(names({{"clock_hold", 5 * kSec - 1}}), Names{"hold-within-a-poll?"});
  EXPECT_EQ(names({{"poll_period", 61 * kSec}}), Names{"hold-within-a-poll?"});
}

TEST(FencedOutboxSettings, whose_alarm_has_no_margin_are_unsafe) {
  EXPECT_EQ(names({{"clock_tolerance", 0}, {"max_clock_drift_ppm", 0}}), Names{"no-clock-margin"});
  EXPECT_EQ(names({{"clock_tolerance", 0}}), Names{});
  EXPECT_EQ(names({{"max_clock_drift_ppm", 0}}), Names{});
}

TEST(FencedOutboxSettings, whose_drift_hides_jumps_are_warned_of) {
  // 2 x 0.0476 / (1 - 0.0476) x 5 s is just below half a second.
  EXPECT_EQ(names({{"max_clock_drift_ppm", 47'619}}), Names{});
  EXPECT_EQ(names({{"max_clock_drift_ppm", 47'620}}), Names{"drift-hides-jumps?"});
  EXPECT_EQ(names({{"poll_period", 499 * kSec}, {"clock_hold", kHour}}), Names{});
  EXPECT_EQ(names({{"poll_period", 500 * kSec}, {"clock_hold", kHour}}), Names{"drift-hides-jumps?"});
}

TEST(FencedOutboxSettings, that_let_pass_more_than_they_would_hold_are_warned_of) {
  EXPECT_EQ(names({{"clock_tolerance", 60 * kSec}}), Names{});
  EXPECT_EQ(names({{"clock_tolerance", 60 * kSec + 1}}), Names{"tolerance-beyond-hold?"});
}

// What fires whatever the ratio of these is to a round trip (decision 13) is nothing to complain of.
TEST(FencedOutboxSettings, of_sizes_and_periods_are_all_safe) {
  for (const std::int64_t poll : {kMs, 10 * kMs, kSec, 60 * kSec})
    for (const std::int64_t ahead : {kMs, kSec, 24 * kHour})
      for (const std::int64_t many : {1, 7, 100'000})
        EXPECT_EQ(
            names({{"poll_period", poll}, {"read_ahead", ahead}, {"batch", many}, {"max_running", many}}),
            Names{});
}

TEST(FencedOutboxSettings, that_are_wrong_in_several_ways_are_told_all_of_them) {
  EXPECT_EQ(
      names({{"stall_timeout", 0}, {"clock_hold", 0}, {"clock_tolerance", 0}, {"max_clock_drift_ppm", 0}}),
      (Names{"never-steps-aside", "no-clock-hold", "no-clock-margin"}));
  const auto found = complaints({{"stall_timeout", 2 * kSec}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].parameter, "stall_timeout");
  EXPECT_EQ(
      found[0].text,
      "stall_timeout (2s) is no longer than 3 request_timeout (3s) + retry_period (200ms): a new leader "
      "asks 3 times until it has fired, and steps aside if the store takes that long each time");
}

// A wait that the code would cut short is ill-formed.
TEST(FencedOutboxSettings, of_a_retry_longer_than_any_is_waited_for_are_ill_formed) {
  EXPECT_TRUE(out_of_range(with({{"work_retry", 60 * kSec}})).empty());
  const auto found = out_of_range(with({{"work_retry", 60 * kSec + 1}}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].accept, "");
}

}  // namespace
}  // namespace tenure
