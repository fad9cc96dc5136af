#include "sim/protocols/heartbeat_lock/heartbeat_lock.h"

#include <gtest/gtest.h>

#include "core/lease/elector_kind.h"
#include "sim/protocols/registry.h"
#include "sim/stores/lease_table/requests.h"
#include "tests/core/lease/elector_harness.h"
#include "tests/sim/protocols/families.h"

namespace tenure::heartbeat_lock_tests {
namespace {

using lease_table::Beat;
using lease_table::Locked;
using lease_table::NoRow;
using testing::Stand;

constexpr std::uint8_t kBeat = 0;

struct Leader : Stand {
  Leader() : Stand(kHeartbeatLock) {
    start();
    answer(asked<Beat>(), Locked{});
  }
};

TEST(HeartbeatLock, takes_what_has_been_stale_for_the_timeout_by_its_own_clock) {
  Stand node(kHeartbeatLock);
  node.start();
  const auto asked = node.world.only_request<Beat>();
  EXPECT_EQ(asked.request.holder, node.world.self());
  EXPECT_EQ(asked.request.heartbeat, node.world.wall_now());
  EXPECT_EQ(asked.request.stale_before, node.world.wall_now() - Duration::seconds(60));
  EXPECT_FALSE(node.leads());
}

TEST(HeartbeatLock, beats_at_whole_periods_however_long_a_statement_takes) {
  Stand node(kHeartbeatLock);
  node.start();
  const MonoTime began = node.world.now();
  const RequestId asked = node.asked<Beat>();
  node.world.advance(Duration::seconds(13));
  node.answer(asked, NoRow{});
  EXPECT_EQ(node.timer(kBeat), began + Duration::seconds(20));
}

TEST(HeartbeatLock, renews_whoever_has_the_row) {
  Leader node;
  node.fire(kBeat);
  const auto renewals = node.world.requests<Beat>();
  ASSERT_FALSE(renewals.empty());
  EXPECT_EQ(renewals.back().request.stale_before, node.world.wall_now());
}

TEST(HeartbeatLock, leads_without_a_deadline_until_a_statement_of_its_own_fails) {
  Leader node;
  ASSERT_EQ(node.world.notes<Believes>().size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Open>(node.world.notes<Believes>().front().until));
  node.world.advance(Duration::hours(5));
  EXPECT_TRUE(node.leads());
  node.fire(kBeat);
  node.answer(node.asked<Beat>(), NoRow{});
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u);
}

// A beat that took 25 s is followed by the next at 30 s, which may hang as long.
TEST(HeartbeatLock, beats_that_may_come_too_late_for_the_timeout_are_unsafe) {
  const ElectorKind* kind = &kHeartbeatLock;
  const auto complaints = [kind](std::int64_t timeout_seconds) {
    Parameters values{kind->parameters()};
    values.set(values.find("heartbeat_period"), Duration::seconds(10).ns());
    values.set(values.find("request_timeout"), Duration::seconds(25).ns());
    values.set(values.find("heartbeat_timeout"), Duration::seconds(timeout_seconds).ns());
    return kind->validate(values);
  };
  ASSERT_EQ(complaints(36).size(), 1u);
  EXPECT_EQ(complaints(36).front().accept, "timeout-within-a-beat");
  EXPECT_EQ(complaints(54).size(), 1u);
  EXPECT_TRUE(complaints(55).empty());
  EXPECT_EQ(complaints(35).size(), 1u) << "one complaint, whichever rule";
}

TEST(HeartbeatLock, stops_leading_when_asked_to_stop_and_beats_no_more) {
  Leader node;
  node.step(StopAsked{});
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
  EXPECT_TRUE(node.world.timers().empty());
}

}  // namespace
}  // namespace tenure::heartbeat_lock_tests
