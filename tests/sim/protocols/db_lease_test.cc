#include "sim/protocols/db_lease/db_lease.h"

#include <gtest/gtest.h>

#include "sim/protocols/registry.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/record/requests.h"
#include "tests/core/lease/elector_harness.h"
#include "tests/sim/protocols/families.h"

namespace tenure::db_lease_tests {
namespace {

using testing::Stand;

constexpr std::uint8_t kPoll = 0;

// The store's clock is the node's wall clock plus `ahead`.
lease_table::Locked locked(const Stand& node, Duration ahead = {}) {
  return {StoreTime::from_ns((node.world.wall_now() + ahead + Duration::seconds(5)).ns())};
}

struct Leader : Stand {
  explicit Leader(Duration store_ahead = {}) : Stand(kDbLease) {
    start();
    answer(asked<lease_table::TryLock>(), locked(*this, store_ahead));
  }
};

TEST(DbLease, tries_at_start_and_three_seconds_after_each_attempt_ended) {
  Stand node(kDbLease);
  node.start();
  const auto asked = node.world.only_request<lease_table::TryLock>();
  EXPECT_EQ(asked.request.holder, node.world.self());
  EXPECT_EQ(asked.request.duration, Duration::seconds(5));
  EXPECT_EQ(asked.submission.deadline, node.world.now() + Duration::seconds(10));
  EXPECT_TRUE(node.world.timers().empty());  // the loop waits for the attempt, however long it takes
  node.world.advance(Duration::seconds(7));
  node.answer(asked.id, lease_table::NoRow{});
  EXPECT_EQ(node.timer(kPoll), node.world.now() + Duration::seconds(3));
  node.fire(kPoll);
  EXPECT_EQ(node.world.requests<lease_table::TryLock>().size(), 1u);
}

TEST(DbLease, believes_until_its_wall_clock_shows_the_time_that_the_store_wrote) {
  Leader node;
  const auto believes = node.world.notes<Believes>();
  ASSERT_EQ(believes.size(), 1u);
  EXPECT_EQ(std::get<WallTime>(believes[0].until), node.world.wall_now() + Duration::seconds(5));
  EXPECT_EQ(believes[0].token, std::nullopt);
  EXPECT_EQ(node.leadership().believed_until, node.world.now() + Duration::seconds(5));
  node.world.advance(Duration::seconds(5) - Duration::nanos(1));
  EXPECT_TRUE(node.leads());
  node.world.advance(Duration::nanos(1));
  EXPECT_FALSE(node.leads());
}

TEST(DbLease, a_clock_that_is_behind_the_store_believes_for_longer) {
  Leader node(Duration::seconds(10));
  EXPECT_EQ(node.leadership().believed_until, node.world.now() + Duration::seconds(15));
}

TEST(DbLease, a_clock_that_is_ahead_of_the_store_never_leads) {
  Leader node(-Duration::seconds(5));
  EXPECT_FALSE(node.leads());
}

TEST(DbLease, a_wall_clock_stepped_back_revives_belief) {
  Leader node;
  node.world.advance(Duration::seconds(6));
  ASSERT_FALSE(node.leads());
  node.world.set_wall(node.world.wall_now() - Duration::seconds(3));
  EXPECT_TRUE(node.leads());
}

TEST(DbLease, the_flag_stays_up_while_an_attempt_hangs) {
  Leader node(Duration::seconds(10));
  node.fire(kPoll);
  node.world.advance(Duration::seconds(10));
  EXPECT_TRUE(node.leads());
  EXPECT_TRUE(node.world.timers().empty());
}

TEST(DbLease, any_failure_of_an_attempt_ends_leadership) {
  for (const int failure : {0, 1, 2, 3}) {
    Leader node(Duration::seconds(10));
    node.fire(kPoll);
    const RequestId id = node.asked<lease_table::TryLock>();
    if (failure == 0) node.step(node.world.unknown(id));
    if (failure == 1) node.step(node.world.rejected(id));
    if (failure == 2) node.answer(id, lease_table::NoRow{});
    if (failure == 3) node.answer(id, record::NotFound{});
    EXPECT_FALSE(node.leads());
    ASSERT_EQ(node.world.notes<StepsDown>().size(), 1u);
    EXPECT_EQ(node.world.notes<StepsDown>()[0].why, failure == 2 ? "no row came back" : "the attempt failed");
    EXPECT_EQ(node.timer(kPoll), node.world.now() + Duration::seconds(3));
  }
}

TEST(DbLease, a_failure_without_the_flag_is_not_worth_a_note) {
  Stand node(kDbLease);
  node.start();
  node.answer(node.asked<lease_table::TryLock>(), lease_table::NoRow{});
  EXPECT_TRUE(node.world.notes<StepsDown>().empty());
}

TEST(DbLease, stops_at_once_and_releases_nothing) {
  Leader node;
  node.step(StopAsked{});
  EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u);
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
  EXPECT_TRUE(node.world.all<testing::Requested>().empty());
  EXPECT_FALSE(node.leads());
  EXPECT_TRUE(node.world.timers().empty());
}

TEST(DbLeaseParameters, a_poll_as_long_as_the_lock_is_unsafe) {
  const ElectorKind* kind = &kDbLease;
  Parameters parameters{kind->parameters()};
  parameters.set(parameters.find("poll_period"), Duration::seconds(5).ns());
  const auto found = kind->validate(parameters);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].parameter, "poll_period");
  EXPECT_EQ(found[0].accept, "poll-beyond-lock");
  EXPECT_NE(found[0].text.find("poll_period (5s)"), std::string::npos);
}

}  // namespace
}  // namespace tenure::db_lease_tests
