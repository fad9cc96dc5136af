#include "core/scheduler/fenced_outbox/delivery_dispatcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tenure::delivery_dispatcher_tests {
namespace {

constexpr Token kToken{1, 1, 7};
constexpr MonoTime kNow = MonoTime::from_ns(1'000'000'000'000);

reference::EventId event(std::uint32_t schedule, std::int64_t slot) {
  return {ScheduleId{schedule}, StoreTime::from_ns(slot * 1'000'000'000), 0};
}

reference::WaitingEvent waiting(std::uint64_t seq, std::string name, std::uint32_t schedule) {
  reference::WaitingEvent one;
  one.seq = seq;
  one.id = event(schedule, static_cast<std::int64_t>(seq));
  one.name = std::move(name);
  return one;
}

using Source = DeliveryDispatcher::Source;

DeliveryDispatcher dispatcher(std::size_t running) {
  return DeliveryDispatcher{{.retry = Duration::seconds(1), .attempts = 3}, running, Duration::hours(1)};
}

Delivery delivery(bool strict = false, std::uint32_t attempts = 3) {
  Delivery result{.kind = Delivery::Kind::push, .destination = "any"};
  result.strict_order = strict;
  result.attempts = attempts;
  return result;
}

void shows(DeliveryDispatcher& dispatcher, const DeliveryDispatcher::Page& page,
           std::vector<reference::WaitingEvent> events, bool more = false, const Delivery& how = delivery()) {
  for (reference::WaitingEvent& each : events) each.delivery = how;
  dispatcher.take(page, {std::move(events), more});
}

std::vector<std::uint64_t> begun(DeliveryDispatcher& dispatcher, MonoTime now = kNow) {
  std::vector<std::uint64_t> numbers;
  dispatcher.begin(
      now, kToken, 0, [](MonoTime) { return false; },
      [&](const DeliveryDispatcher::Attempt& attempt) { numbers.push_back(attempt.what.sequence); });
  return numbers;
}

using Numbers = std::vector<std::uint64_t>;

TEST(DeliveryDispatcher, reads_when_it_is_told_that_something_waits_also_where_it_knows_of_no_destination) {
  DeliveryDispatcher nobody = dispatcher(2);
  nobody.read_anew(true);
  EXPECT_EQ(nobody.next_page(Source::waiting), std::nullopt);
  nobody.read_on(Source::waiting);
  EXPECT_EQ(nobody.next_page(Source::waiting), (DeliveryDispatcher::Page{std::nullopt, 0}));
  shows(nobody, {std::nullopt, 0}, {waiting(1, "crm", 1)});
  EXPECT_EQ(begun(nobody), Numbers{1});
}

// Its page had shown the event while it was in hand. No later page would.
TEST(DeliveryDispatcher, reads_everything_anew_after_an_attempt_of_another_branch) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1), waiting(2, "crm", 1)}, false, delivery(true));
  EXPECT_EQ(begun(one), Numbers{1});
  constexpr Token kAfter{2, 1, 7};
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::failed}, kAfter, kNow), Deliveries::Finish::lost);
  EXPECT_EQ(begun(one), Numbers{});  // the other is behind it
  EXPECT_EQ(one.next_page(Source::waiting), (DeliveryDispatcher::Page{"crm", 0}));
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1), waiting(2, "crm", 1)}, false, delivery(true));
  EXPECT_EQ(begun(one), Numbers{});  // its queue reads for itself
  shows(one, {"crm", 0}, {waiting(1, "crm", 1), waiting(2, "crm", 1)}, false, delivery(true));
  EXPECT_EQ(begun(one), Numbers{1});
}

TEST(DeliveryDispatcher, reads_everything_anew_when_what_it_gave_up_is_not_acknowledged) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1)}, false, delivery(false, 1));
  EXPECT_EQ(begun(one), Numbers{1});
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::failed}, kToken, kNow), Deliveries::Finish::given_up);
  EXPECT_EQ(one.take_given_up(10).size(), 1u);
  EXPECT_FALSE(one.not_acknowledged(Token{2, 1, 7}));
  shows(one, {"crm", 0}, {waiting(1, "crm", 1)});
  EXPECT_EQ(begun(one), Numbers{1});
}

TEST(DeliveryDispatcher, takes_nothing_from_a_page_that_was_asked_for_before) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(4, "crm", 1)});
  one.read_anew(true);
  shows(one, {std::nullopt, 4}, {waiting(5, "crm", 1)});
  shows(one, {"crm", 4}, {waiting(5, "crm", 1)});
  EXPECT_EQ(begun(one), Numbers{});
  shows(one, {"crm", 0}, {waiting(4, "crm", 1), waiting(5, "crm", 1)});
  EXPECT_EQ(begun(one), (Numbers{4, 5}));
}

TEST(DeliveryDispatcher, orders_what_is_in_hand_by_the_number_that_it_was_shown_with_last) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(6, "crm", 1)}, false, delivery(true));
  EXPECT_EQ(begun(one), Numbers{6});
  one.read_anew(true);
  reference::WaitingEvent again = waiting(3, "crm", 1);
  again.id = event(1, 6);
  shows(one, {"crm", 0}, {again, waiting(5, "crm", 1)}, false, delivery(true));
  EXPECT_EQ(begun(one), Numbers{});
}

TEST(DeliveryDispatcher, sends_an_event_that_another_version_has_fired_where_that_says) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(1, "erp", 1)});
  EXPECT_EQ(begun(one), Numbers{1});
  one.read_anew(true);
  shows(one, {"erp", 0}, {});
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1)});
  EXPECT_EQ(begun(one), Numbers{});  // one at a time
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::done}, kToken, kNow), Deliveries::Finish::lost);
  EXPECT_EQ(one.done(), 0u);
  shows(one, {"crm", 0}, {waiting(1, "crm", 1)});
  EXPECT_EQ(begun(one), Numbers{1});
}

TEST(DeliveryDispatcher, forgets_what_waits_when_another_version_has_fired_it) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(1, "erp", 1)});
  EXPECT_EQ(begun(one), Numbers{1});
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::failed}, kToken, kNow), Deliveries::Finish::waits);
  EXPECT_TRUE(one.begin_work(event(1, 1), kToken));
  EXPECT_EQ(begun(one, kNow + Duration::minutes(1)), Numbers{});
}

// The store takes the event from nobody but who has had it.
TEST(DeliveryDispatcher, sends_an_event_elsewhere_while_it_is_being_acknowledged) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(1, "erp", 1)});
  EXPECT_EQ(begun(one), Numbers{1});
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::done}, kToken, kNow), Deliveries::Finish::delivered);
  EXPECT_EQ(one.take_delivered(10).at(0).to, "erp");
  one.read_anew(true);
  shows(one, {"erp", 0}, {});
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1)});
  EXPECT_EQ(begun(one), Numbers{1});
  EXPECT_TRUE(one.not_acknowledged(kToken));
  EXPECT_EQ(one.done(), 0u);
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::done}, kToken, kNow), Deliveries::Finish::delivered);
  EXPECT_EQ(one.take_delivered(10).at(0).to, "crm");
}

TEST(DeliveryDispatcher, does_no_work_of_its_own_while_it_is_sent) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(1, "erp", 1)});
  EXPECT_EQ(begun(one), Numbers{1});
  EXPECT_FALSE(one.begin_work(event(1, 1), kToken));
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::done}, kToken, kNow), Deliveries::Finish::lost);
  EXPECT_TRUE(one.begin_work(event(1, 1), kToken));
}

TEST(DeliveryDispatcher, reads_for_a_destination_and_for_all_in_turns) {
  DeliveryDispatcher one = dispatcher(2);
  one.knows("crm");
  const DeliveryDispatcher::Page all{std::nullopt, 0};
  const DeliveryDispatcher::Page crm{"crm", 0};
  EXPECT_EQ(one.next_page(Source::waiting), all);
  shows(one, all, {waiting(1, "erp", 1)}, true);
  EXPECT_EQ(one.next_page(Source::waiting), crm);
  shows(one, crm, {});
  const DeliveryDispatcher::Page rest{std::nullopt, 1};
  EXPECT_EQ(one.next_page(Source::waiting), rest);
  shows(one, rest, {});
  EXPECT_EQ(one.next_page(Source::waiting), std::nullopt);
}

TEST(DeliveryDispatcher, begins_events_in_the_order_of_their_numbers_and_no_more_than_may_be_under_way) {
  DeliveryDispatcher one = dispatcher(2);
  one.knows("crm");
  shows(one, {"crm", 0}, {waiting(3, "crm", 1), waiting(4, "crm", 2), waiting(9, "crm", 1)});
  EXPECT_EQ(begun(one), (Numbers{3, 4}));
  EXPECT_EQ(begun(one), Numbers{});
  EXPECT_EQ(one.finish({event(2, 4), WorkResult::done}, kToken, kNow), Deliveries::Finish::delivered);
  EXPECT_EQ(begun(one), Numbers{9});
}

TEST(DeliveryDispatcher, gives_each_destination_places_of_its_own) {
  DeliveryDispatcher one = dispatcher(1);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1), waiting(2, "crm", 1), waiting(3, "erp", 2)});
  EXPECT_EQ(begun(one), (Numbers{1, 3}));
}

TEST(DeliveryDispatcher, leaves_what_a_queue_has_no_room_for_and_reads_it_when_there_is_room) {
  DeliveryDispatcher one = dispatcher(1000);
  one.knows("crm");
  shows(one, {"crm", 0}, {});
  std::vector<reference::WaitingEvent> events;
  for (std::uint64_t seq = 1; seq <= DestinationQueue::kMost + 500; ++seq)
    events.push_back(waiting(seq, "crm", 1));
  events.push_back(waiting(DestinationQueue::kMost + 501, "erp", 2));
  shows(one, {std::nullopt, 0}, events);
  EXPECT_EQ(one.next_page(Source::waiting), std::nullopt);  // there is no room
  EXPECT_EQ(begun(one).size(), DestinationQueue::kMost + 1);
  for (std::uint64_t seq = 1; seq <= DestinationQueue::kMost; ++seq)
    one.finish({event(1, static_cast<std::int64_t>(seq)), WorkResult::done}, kToken, kNow);
  EXPECT_EQ(one.next_page(Source::waiting), (DeliveryDispatcher::Page{"crm", DestinationQueue::kMost}));
}

TEST(DeliveryDispatcher, does_not_let_a_commit_overtake_what_a_queue_left_behind) {
  DeliveryDispatcher one = dispatcher(1000);
  one.knows("crm");
  shows(one, {"crm", 0}, {waiting(5, "crm", 1)}, true);
  shows(one, {std::nullopt, 0}, {waiting(5, "crm", 1)}, true);
  one.committed("crm");
  shows(one, {std::nullopt, 5}, {waiting(9, "crm", 1)});
  EXPECT_EQ(begun(one), Numbers{5});
  EXPECT_EQ(one.next_page(Source::waiting), (DeliveryDispatcher::Page{"crm", 5}));
  shows(one, {"crm", 5}, {waiting(7, "crm", 1), waiting(9, "crm", 1)});
  EXPECT_EQ(begun(one), (Numbers{7, 9}));
}

TEST(DeliveryDispatcher, spreads_what_failed_together_and_doubles_its_wait) {
  DeliveryDispatcher one = dispatcher(1000);
  std::vector<reference::WaitingEvent> events;
  for (std::uint64_t seq = 1; seq <= 100; ++seq) events.push_back(waiting(seq, "crm", 1));
  shows(one, {std::nullopt, 0}, events);
  EXPECT_EQ(begun(one).size(), 100u);
  for (std::uint64_t seq = 1; seq <= 100; ++seq)
    EXPECT_EQ(one.finish({event(1, static_cast<std::int64_t>(seq)), WorkResult::failed}, kToken, kNow),
              Deliveries::Finish::waits);
  EXPECT_EQ(begun(one, kNow + Duration::millis(500)), Numbers{});
  const std::size_t early = begun(one, kNow + Duration::millis(750)).size();
  EXPECT_GT(early, 20u);
  EXPECT_LT(early, 80u);
  EXPECT_EQ(early + begun(one, kNow + Duration::seconds(1)).size(), 100u);
}

TEST(DeliveryDispatcher, gives_up_after_as_many_attempts_as_the_schedule_allows) {
  DeliveryDispatcher one = dispatcher(1);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1)}, false, delivery(false, 2));
  EXPECT_EQ(begun(one), Numbers{1});
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::failed}, kToken, kNow), Deliveries::Finish::waits);
  EXPECT_EQ(begun(one, kNow + Duration::seconds(1)), Numbers{1});
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::failed}, kToken, kNow), Deliveries::Finish::given_up);
  EXPECT_EQ(one.given_up(), 1u);
}

TEST(DeliveryDispatcher, gives_up_what_has_been_tried_for_long_enough) {
  DeliveryDispatcher one = dispatcher(1);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1)}, false, delivery(false, 1'000));
  EXPECT_EQ(begun(one), Numbers{1});
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::failed}, kToken, kNow + Duration::hours(1)),
            Deliveries::Finish::given_up);
}

TEST(DeliveryDispatcher, waits_as_long_as_a_destination_asks_and_no_other_event_does) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1), waiting(2, "crm", 2)});
  EXPECT_EQ(begun(one), (Numbers{1, 2}));
  one.finish({event(1, 1), WorkResult::failed, Duration::minutes(10)}, kToken, kNow);
  one.finish({event(2, 2), WorkResult::failed}, kToken, kNow);
  shows(one, {std::nullopt, 2}, {waiting(3, "crm", 1)});
  EXPECT_EQ(begun(one), Numbers{3});
  EXPECT_EQ(begun(one, kNow + Duration::seconds(1)), Numbers{2});
  EXPECT_EQ(begun(one, kNow + Duration::minutes(10) - Duration::nanos(1)), Numbers{});
  EXPECT_EQ(one.next_begin(kNow, 0, [](MonoTime) { return false; }), kNow + Duration::minutes(10));
  EXPECT_EQ(begun(one, kNow + Duration::minutes(10)), Numbers{1});
}

TEST(DeliveryDispatcher, is_not_hurried_by_a_short_wait_that_a_destination_asks_for) {
  DeliveryDispatcher one = dispatcher(1);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1)});
  EXPECT_EQ(begun(one), Numbers{1});
  one.finish({event(1, 1), WorkResult::failed, Duration::millis(1)}, kToken, kNow);
  EXPECT_EQ(begun(one, kNow + Duration::millis(500)), Numbers{});
  EXPECT_EQ(begun(one, kNow + Duration::seconds(1)), Numbers{1});
}

TEST(DeliveryDispatcher, gives_up_what_is_not_to_be_tried_again_while_it_may_be) {
  for (const bool within : {true, false}) {
    DeliveryDispatcher one = dispatcher(1);
    shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1)}, false, delivery(false, 1'000));
    EXPECT_EQ(begun(one), Numbers{1});
    const MonoTime later = kNow + Duration::minutes(20);
    const Duration asked = Duration::minutes(40) - Duration::nanos(within ? 1 : 0);
    EXPECT_EQ(one.finish({event(1, 1), WorkResult::failed, asked}, kToken, later),
              within ? Deliveries::Finish::waits : Deliveries::Finish::given_up);
  }
}

TEST(DeliveryDispatcher, waits_for_no_longer_than_a_day_and_after_failures_only) {
  DeliveryDispatcher one{{.retry = Duration::seconds(1), .attempts = 3}, 2, Duration::hours(1'000)};
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1), waiting(2, "crm", 2)});
  EXPECT_EQ(begun(one), (Numbers{1, 2}));
  one.finish({event(1, 1), WorkResult::failed, Duration::max()}, kToken, kNow);
  one.finish({event(2, 2), WorkResult::fenced, Duration::hours(1)}, kToken, kNow);
  EXPECT_EQ(begun(one, kNow + Duration::seconds(1)), Numbers{2});
  EXPECT_EQ(begun(one, kNow + Duration::hours(24)), Numbers{1});
}

TEST(DeliveryDispatcher, hears_no_wish_to_wait_of_its_own_work) {
  DeliveryDispatcher one = dispatcher(2);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1)});
  one.begin_work(event(7, 7), kToken);
  EXPECT_EQ(one.finish({event(7, 7), WorkResult::failed, Duration::hours(1)}, kToken, kNow),
            Deliveries::Finish::waits);
  EXPECT_EQ(one.own().in_hand().next_retry(), kNow + Duration::seconds(1));
}

TEST(DeliveryDispatcher, holds_events_of_a_strict_schedule_back_behind_one_that_is_not_over_and_no_others) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1), waiting(2, "crm", 1), waiting(3, "crm", 2)}, false,
        delivery(true, 2));
  EXPECT_EQ(begun(one), (Numbers{1, 3}));
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::failed}, kToken, kNow), Deliveries::Finish::waits);
  EXPECT_EQ(begun(one, kNow + Duration::seconds(1)), Numbers{1});
  EXPECT_EQ(one.finish({event(1, 1), WorkResult::failed}, kToken, kNow), Deliveries::Finish::given_up);
  EXPECT_EQ(begun(one), Numbers{});  // until the store knows that it is dead
  EXPECT_EQ(one.take_given_up(10).size(), 1u);
  one.acknowledged();
  EXPECT_EQ(begun(one), Numbers{2});
}

TEST(DeliveryDispatcher, shares_the_places_between_what_failed_and_what_is_new) {
  DeliveryDispatcher one = dispatcher(1);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1), waiting(2, "crm", 2), waiting(3, "crm", 3)});
  EXPECT_EQ(begun(one), Numbers{1});
  one.finish({event(1, 1), WorkResult::failed}, kToken, kNow);
  const MonoTime later = kNow + Duration::seconds(1);
  EXPECT_EQ(begun(one, later), Numbers{1});
  one.finish({event(1, 1), WorkResult::failed}, kToken, later);
  const MonoTime latest = later + Duration::seconds(2);
  EXPECT_EQ(begun(one, latest), Numbers{2});
  one.finish({event(2, 2), WorkResult::done}, kToken, latest);
  EXPECT_EQ(begun(one, latest), Numbers{1});
}

TEST(DeliveryDispatcher, sends_nothing_again_that_is_in_hand_when_everything_is_read_anew) {
  DeliveryDispatcher one = dispatcher(10);
  shows(one, {std::nullopt, 0}, {waiting(1, "crm", 1), waiting(2, "crm", 1)});
  EXPECT_EQ(begun(one), (Numbers{1, 2}));
  one.forget_waiting();
  one.read_anew(true);
  shows(one, {"crm", 0}, {waiting(1, "crm", 1), waiting(2, "crm", 1), waiting(3, "crm", 1)});
  EXPECT_EQ(begun(one), Numbers{3});
}

}  // namespace
}  // namespace tenure::delivery_dispatcher_tests
