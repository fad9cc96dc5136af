#include "sim/models/resource.h"

#include <gtest/gtest.h>

namespace tenure::sim::resource_tests {
namespace {

using Answer = OutsideResource::Answer;

WorkItem item(std::int64_t slot_seconds, std::uint64_t epoch, bool once = true) {
  return {ResourceId{0},
          {ScheduleId{0}, StoreTime::from_ns(Duration::seconds(slot_seconds).ns()), 0},
          Token{1, epoch, 1},
          once};
}
TrueTime at(Duration d) { return TrueTime{} + d; }

TEST(OutsideResource, refuses_a_token_older_than_one_it_has_seen) {
  OutsideResource resource(true, true);
  EXPECT_EQ(resource.land(at({}), item(1, 2)), Answer::begin);
  EXPECT_EQ(resource.land(at({}), item(2, 1)), Answer::fenced);
}

TEST(OutsideResource, that_has_seen_a_token_refuses_work_without_one) {
  OutsideResource resource(true, true);
  WorkItem bare = item(1, 1, false);
  bare.token.reset();
  EXPECT_EQ(resource.land(at({}), bare), Answer::begin);
  EXPECT_EQ(resource.land(at({}), item(2, 1)), Answer::begin);
  EXPECT_EQ(resource.land(at({}), bare), Answer::fenced);
}

TEST(OutsideResource, without_fencing_lets_the_stale_token_in) {
  OutsideResource resource(false, true);
  EXPECT_EQ(resource.land(at({}), item(1, 2)), Answer::begin);
  EXPECT_EQ(resource.land(at({}), item(2, 1)), Answer::begin);
}

TEST(OutsideResource, begins_an_event_once_if_the_item_asks_for_it) {
  OutsideResource resource(true, true);
  EXPECT_EQ(resource.land(at({}), item(1, 1)), Answer::begin);
  EXPECT_EQ(resource.land(at({}), item(1, 2)), Answer::running);
  resource.ended(at({}), item(1, 1).event);
  EXPECT_EQ(resource.land(at({}), item(1, 2)), Answer::duplicate);
  EXPECT_EQ(resource.land(at({}), item(1, 2, false)), Answer::begin);
}

TEST(OutsideResource, a_resource_that_ignores_event_ids_begins_it_again) {
  OutsideResource resource(true, false);
  EXPECT_EQ(resource.land(at({}), item(1, 1)), Answer::begin);
  EXPECT_EQ(resource.land(at({}), item(1, 1)), Answer::begin);
}

TEST(OutsideResource, begins_what_failed_again) {
  OutsideResource resource(true, true);
  EXPECT_EQ(resource.land(at({}), item(1, 1)), Answer::begin);
  resource.failed(item(1, 1).event);
  EXPECT_EQ(resource.land(at({}), item(1, 2)), Answer::begin);
}

// Whoever was told that it runs asks again within minutes.
TEST(OutsideResource, remembers_an_event_until_its_work_is_over_and_acknowledged_and_an_hour_has_passed) {
  OutsideResource resource(true, true);
  const auto remembered_at = [&resource](int hours, int slot) {
    resource.land(at(Duration::hours(hours)), item(slot, 1));
    return resource.remembered();
  };
  EXPECT_EQ(remembered_at(0, 1), 1U);
  EXPECT_EQ(remembered_at(2, 2), 2U);
  resource.ended(at(Duration::hours(2)), item(1, 1).event);
  EXPECT_EQ(remembered_at(4, 3), 3U);
  for (const int slot : {1, 2}) resource.acknowledged(at(Duration::hours(4)), item(slot, 1).event);
  EXPECT_EQ(remembered_at(5, 4), 4U);
  EXPECT_EQ(remembered_at(6, 5), 4U) << "the first; the second still runs";
  resource.ended(at(Duration::hours(6)), item(2, 1).event);
  EXPECT_EQ(remembered_at(7, 6), 5U);
  EXPECT_EQ(remembered_at(8, 7), 5U);
}

}  // namespace
}  // namespace tenure::sim::resource_tests
