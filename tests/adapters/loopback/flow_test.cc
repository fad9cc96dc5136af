// When pieces of a stream may leave, with times that are the test's.
#include "adapters/loopback/flow.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tenure::loopback {
namespace {

constexpr MonoTime kNow = MonoTime{} + Duration::seconds(1'000);

// When each of many messages leaves that are taken an hour apart, after it was taken.
std::vector<Duration> delays(std::uint64_t key, const DirectionRule& rule, int count = 1'000) {
  Flow flow(key);
  Wire wire{.rule = rule, .busy_until = kNow};
  std::vector<Duration> delays;
  for (int i = 0; i < count; ++i) {
    const MonoTime at = kNow + Duration::hours(i);
    flow.take("x", wire, at);
    delays.push_back(*flow.next_departure(rule) - at);
    flow.written(1);
  }
  return delays;
}

TEST(Flow, draws_jitter_evenly_from_nothing_to_all_of_it) {
  const DirectionRule rule{.delay = Duration::millis(10), .jitter = Duration::millis(4)};
  std::vector<int> quarters(4);
  for (const Duration delay : delays(1, rule)) {
    ASSERT_GE(delay, Duration::millis(10));
    ASSERT_LE(delay, Duration::millis(14));
    ++quarters[static_cast<std::size_t>(std::min<std::int64_t>((delay.ns() - 10'000'000) / 1'000'000, 3))];
  }
  for (const int count : quarters) EXPECT_NEAR(count, 250, 70);  // five deviations
}

TEST(Flow, draws_by_its_key_alone) {
  const DirectionRule rule{.jitter = Duration::millis(4)};
  EXPECT_EQ(delays(1, rule), delays(1, rule));
  EXPECT_NE(delays(1, rule), delays(2, rule));
}

TEST(Flow, a_later_message_leaves_no_earlier) {
  Flow flow(1);
  Wire wire{.rule = {.delay = Duration::seconds(10)}, .busy_until = kNow};
  flow.take("slow", wire, kNow);
  wire.rule = {};
  flow.take("fast", wire, kNow);
  EXPECT_EQ(flow.ready(wire.rule, kNow), "");
  EXPECT_EQ(flow.ready(wire.rule, kNow + Duration::seconds(10)), "slow");
  flow.written(4);
  EXPECT_EQ(flow.ready(wire.rule, kNow + Duration::seconds(10) - Duration::nanos(1)), "");
  EXPECT_EQ(flow.ready(wire.rule, kNow + Duration::seconds(10)), "fast");
}

TEST(Flow, a_slow_wire_is_shared_by_its_connections) {
  Flow one(1);
  Flow other(2);
  Wire wire{.rule = {.bytes_per_second = 1'000}, .busy_until = kNow};
  one.take(std::string(500, 'x'), wire, kNow);
  other.take(std::string(250, 'x'), wire, kNow);
  EXPECT_EQ(*one.next_departure(wire.rule), kNow + Duration::millis(500));
  EXPECT_EQ(*other.next_departure(wire.rule), kNow + Duration::millis(750));
  EXPECT_LE(one.room(wire.rule), 50U);  // in slices, and not all at once when its time has come
}

TEST(Flow, has_room_up_to_its_bound) {
  Flow flow(1);
  Wire wire{.rule = {.delay = Duration::seconds(1)}, .busy_until = kNow};
  std::size_t taken = 0;
  while (taken < 2 * kBufferedMax) {
    const std::size_t room = flow.room(wire.rule);
    if (room == 0) break;
    flow.take(std::string(room, 'x'), wire, kNow);
    taken += room;
  }
  EXPECT_EQ(taken, kBufferedMax);
  flow.written(1);
  EXPECT_EQ(flow.room(wire.rule), 1U);
  EXPECT_EQ(flow.room({.hang = true}), 0U);
}

TEST(Flow, passes_its_end_on_after_all_bytes_and_as_late) {
  Flow flow(1);
  Wire wire{.rule = {.delay = Duration::seconds(1)}, .busy_until = kNow};
  flow.take("x", wire, kNow);
  flow.end(wire, kNow);
  EXPECT_FALSE(flow.may_pass_end_on(wire.rule, kNow + Duration::seconds(1)));
  flow.written(1);
  EXPECT_FALSE(flow.may_pass_end_on(wire.rule, kNow));
  EXPECT_EQ(*flow.next_departure(wire.rule), kNow + Duration::seconds(1));
  EXPECT_TRUE(flow.may_pass_end_on(wire.rule, kNow + Duration::seconds(1)));
  flow.end_is_passed_on();
  EXPECT_FALSE(flow.next_departure(wire.rule).has_value());
}

TEST(Flow, cuts_as_many_of_a_million_as_it_is_told) {
  for (const std::uint32_t ppm : {0U, 100'000U, 1'000'000U}) {
    Flow flow(3);
    Wire wire{.rule = {.cut_ppm = ppm}, .busy_until = kNow};
    int cut = 0;
    for (int i = 0; i < 10'000; ++i)
      if (flow.take("x", wire, kNow) == Flow::Taken::cut) ++cut;
    EXPECT_NEAR(cut, static_cast<int>(ppm / 100), ppm == 100'000U ? 150 : 0);
  }
}

}  // namespace
}  // namespace tenure::loopback
