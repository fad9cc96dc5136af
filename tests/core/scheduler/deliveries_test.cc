#include "core/scheduler/fenced_outbox/deliveries.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

house::EventId event(std::uint32_t schedule, std::int64_t second, std::uint64_t run = 0) {
  return {ScheduleId{schedule}, StoreTime{} + Duration::seconds(second), run};
}
constexpr Token kToken{1, 4, 99};

TEST(Deliveries, an_event_is_begun_once_until_the_store_has_let_it_go) {
  Deliveries deliveries;
  EXPECT_TRUE(deliveries.begin(event(1, 10), kToken));
  EXPECT_FALSE(deliveries.begin(event(1, 10), kToken));
  deliveries.finish(event(1, 10), WorkResult::done);
  EXPECT_FALSE(deliveries.begin(event(1, 10), kToken));
  deliveries.take_done(10);
  EXPECT_FALSE(deliveries.begin(event(1, 10), kToken));
  deliveries.acknowledged();
  EXPECT_TRUE(deliveries.begin(event(1, 10), kToken));
}

TEST(Deliveries, done_stopped_and_duplicate_are_delivered_and_fenced_is_not) {
  Deliveries deliveries;
  for (std::uint32_t s = 1; s <= 4; ++s) deliveries.begin(event(s, 10), kToken);
  EXPECT_EQ(deliveries.finish(event(1, 10), WorkResult::done), std::nullopt);
  EXPECT_EQ(deliveries.finish(event(2, 10), WorkResult::stopped), std::nullopt);
  EXPECT_EQ(deliveries.finish(event(3, 10), WorkResult::duplicate), std::nullopt);
  EXPECT_EQ(deliveries.finish(event(4, 10), WorkResult::fenced), kToken);
  EXPECT_EQ(deliveries.running(), 0u);
  EXPECT_EQ(deliveries.take_done(10).size(), 3u);
  EXPECT_TRUE(deliveries.begin(event(4, 10), kToken));
}

TEST(Deliveries, come_back_in_any_order_and_are_taken_by_slot) {
  Deliveries deliveries;
  for (const auto& e : {event(3, 20), event(1, 10), event(2, 20), event(1, 10, 7)})
    deliveries.begin(e, kToken);
  for (const auto& e : {event(2, 20), event(1, 10, 7), event(3, 20)}) deliveries.finish(e, WorkResult::done);
  EXPECT_EQ(deliveries.take_done(2), (std::vector{event(1, 10, 7), event(2, 20)}));
  EXPECT_EQ(deliveries.done(), 1u);
  EXPECT_EQ(deliveries.running(), 1u);
}

TEST(Deliveries, an_acknowledgement_that_failed_is_made_again) {
  Deliveries deliveries;
  deliveries.begin(event(1, 10), kToken);
  deliveries.finish(event(1, 10), WorkResult::done);
  EXPECT_EQ(deliveries.take_done(10).size(), 1u);
  EXPECT_EQ(deliveries.take_done(10).size(), 0u);
  deliveries.not_acknowledged();
  EXPECT_EQ(deliveries.done(), 1u);
  EXPECT_EQ(deliveries.take_done(10).size(), 1u);
}

TEST(Deliveries, know_nothing_of_work_that_was_never_begun) {
  Deliveries deliveries;
  EXPECT_EQ(deliveries.finish(event(1, 10), WorkResult::fenced), std::nullopt);
  EXPECT_EQ(deliveries.done(), 0u);
  deliveries.begin(event(1, 10), kToken);
  deliveries.finish(event(1, 10), WorkResult::done);
  deliveries.finish(event(1, 10), WorkResult::done);
  EXPECT_EQ(deliveries.done(), 1u);
}

}  // namespace
}  // namespace tenure
