#include "core/scheduler/fenced_outbox/deliveries.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

reference::EventId event(std::uint32_t schedule, std::int64_t second, std::uint64_t run = 0) {
  return {ScheduleId{schedule}, StoreTime{} + Duration::seconds(second), run};
}
constexpr Token kToken{1, 4, 99};
constexpr Duration kRetry = Duration::seconds(1);
constexpr MonoTime kNow = MonoTime::from_ns(1'000'000'000);
using Finish = Deliveries::Finish;

// Each begun by the same policy, and taken by their names.
struct InHand : Deliveries {
  explicit InHand(const Policy& each) : policy(each) {}
  InHand(Duration retry, std::uint32_t attempts) : policy{.retry = retry, .attempts = attempts} {}
  bool begin(const reference::EventId& event, const Token& token, MonoTime now = MonoTime::min()) {
    return Deliveries::begin({event, 7}, token, now, policy);
  }
  // Its commit is all that tells of it.
  void begin_unshown(const reference::EventId& event) {
    Deliveries::begin({event}, kToken, MonoTime::min(), policy);
  }
  std::vector<reference::EventId> take_retries(MonoTime now, std::size_t limit, const Token& token) {
    return names(Deliveries::take_retries(now, limit, token));
  }
  std::vector<reference::EventId> take_asks(MonoTime now, std::size_t limit, const Token& token) {
    return names(Deliveries::take_asks(now, limit, token));
  }
  static std::vector<reference::EventId> names(const Attempts& attempts) {
    std::vector<reference::EventId> events;
    for (const Attempt& attempt : attempts) events.push_back(attempt.event);
    return events;
  }
  Policy policy;
};

TEST(Deliveries, an_event_is_begun_once_until_the_store_has_let_it_go) {
  InHand deliveries{kRetry, 3};
  EXPECT_TRUE(deliveries.begin(event(1, 10), kToken));
  EXPECT_FALSE(deliveries.begin(event(1, 10), kToken));
  deliveries.finish({event(1, 10), WorkResult::done}, kToken, kNow);
  EXPECT_FALSE(deliveries.begin(event(1, 10), kToken));
  deliveries.take_delivered(10);
  EXPECT_FALSE(deliveries.begin(event(1, 10), kToken));
  deliveries.acknowledged();
  EXPECT_TRUE(deliveries.begin(event(1, 10), kToken));
}

TEST(Deliveries, done_stopped_and_duplicate_are_delivered_and_the_others_wait) {
  InHand deliveries{kRetry, 3};
  for (std::uint32_t s = 1; s <= 6; ++s) deliveries.begin(event(s, 10), kToken);
  EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::done}, kToken, kNow), Finish::delivered);
  EXPECT_EQ(deliveries.finish({event(2, 10), WorkResult::stopped}, kToken, kNow), Finish::delivered);
  EXPECT_EQ(deliveries.finish({event(3, 10), WorkResult::duplicate}, kToken, kNow), Finish::delivered);
  EXPECT_EQ(deliveries.finish({event(4, 10), WorkResult::fenced}, kToken, kNow), Finish::waits);
  EXPECT_EQ(deliveries.finish({event(5, 10), WorkResult::failed}, kToken, kNow), Finish::waits);
  EXPECT_EQ(deliveries.finish({event(6, 10), WorkResult::running}, kToken, kNow), Finish::waits);
  EXPECT_EQ(deliveries.running(), 0u);
  EXPECT_EQ(deliveries.take_delivered(10).size(), 3u);
  EXPECT_FALSE(deliveries.begin(event(4, 10), kToken)) << "though the outbox still has it";
  EXPECT_EQ(deliveries.overlap(ScheduleId{4}, event(4, 11).slot), Deliveries::Overlap::runs);
  deliveries.forget_waiting();
  EXPECT_TRUE(deliveries.begin(event(4, 10), kToken));
}

TEST(Deliveries, what_was_given_up_is_forgotten_with_the_leadership_unless_the_store_was_told) {
  InHand deliveries{kRetry, 1};
  for (const std::uint32_t s : {1u, 2u}) {
    deliveries.begin(event(s, 10), kToken);
    EXPECT_EQ(deliveries.finish({event(s, 10), WorkResult::failed}, kToken, kNow), Finish::given_up);
    if (s == 2) continue;
    EXPECT_EQ(deliveries.take_given_up(10).size(), 1u);
  }
  deliveries.forget_waiting();
  EXPECT_TRUE(deliveries.holds(event(1, 10)));
  EXPECT_FALSE(deliveries.holds(event(2, 10)));
  EXPECT_EQ(deliveries.done(), 0u);
}

// Slots of its schedule are not given up for work that nobody may be at any more.
TEST(Deliveries, what_ran_elsewhere_is_unknown_from_when_no_worker_can_ask_until_the_answer) {
  using Overlap = Deliveries::Overlap;
  for (const bool refused : {true, false}) {
    InHand deliveries{kRetry, 3};
    const auto overlap = [&] { return deliveries.overlap(ScheduleId{1}, event(1, 11).slot); };
    deliveries.begin(event(1, 10), kToken);
    deliveries.finish({event(1, 10), WorkResult::running}, kToken, kNow);
    EXPECT_EQ(deliveries.next_retry(), MonoTime::max());
    EXPECT_EQ(deliveries.next_ask(), kNow + kRetry);
    EXPECT_EQ(overlap(), Overlap::runs);
    EXPECT_TRUE(deliveries.take_asks(kNow + kRetry, 0, kToken).empty()) << "no worker";
    EXPECT_EQ(overlap(), Overlap::unknown);
    const MonoTime later = kNow + Duration::minutes(20);
    EXPECT_EQ(deliveries.take_asks(later, 1, kToken), std::vector{event(1, 10)});
    EXPECT_EQ(overlap(), Overlap::unknown);
    EXPECT_EQ(deliveries.next_answer(), later + Deliveries::kAnswer);
    if (refused)
      deliveries.finish({event(1, 10), WorkResult::running}, kToken, later);
    else
      deliveries.take_asks(later + Deliveries::kAnswer, 0, kToken);
    EXPECT_EQ(overlap(), Overlap::runs);
    EXPECT_EQ(deliveries.next_answer(), MonoTime::max());
  }
}

// The next leader may have it in hand.
TEST(Deliveries, who_leads_no_more_gives_nothing_up) {
  for (const std::optional<Token> now_leads : {std::optional<Token>{}, std::optional(Token{1, 6, 100})}) {
    InHand deliveries{kRetry, 1};
    deliveries.begin(event(1, 10), kToken);
    EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::failed}, now_leads, kNow), Finish::waits);
  }
}

// Who leads a branch of the store that took commits back knows from its outbox alone what is to be done.
TEST(Deliveries, what_a_failover_may_have_taken_back_is_not_begun_again_by_itself) {
  const Token promoted{2, 1, 7};
  const Token elected{1, 5, 7};
  for (const WorkResult result : {WorkResult::fenced, WorkResult::running, WorkResult::failed}) {
    InHand deliveries{kRetry, 3};
    deliveries.begin(event(1, 10), kToken);
    EXPECT_EQ(deliveries.finish({event(1, 10), result}, promoted, kNow), Finish::lost);
    EXPECT_FALSE(deliveries.holds(event(1, 10)));
    EXPECT_EQ(deliveries.next_retry(), MonoTime::max());
    EXPECT_EQ(deliveries.running(), 0u);
    deliveries.begin(event(1, 10), kToken);
    EXPECT_EQ(deliveries.finish({event(1, 10), result}, elected, kNow), Finish::waits);
  }
}

TEST(Deliveries, what_waits_is_begun_again_after_twice_as_long_each_time_up_to_a_minute) {
  InHand deliveries{kRetry, 1'000};
  deliveries.begin(event(1, 10), kToken);
  MonoTime now = kNow;
  std::vector<Duration> waits;
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::fenced}, kToken, now), Finish::waits);
    waits.push_back(deliveries.next_retry() - now);
    now = deliveries.next_retry();
    EXPECT_TRUE(deliveries.take_retries(now - Duration::nanos(1), 10, kToken).empty());
    EXPECT_TRUE(deliveries.take_retries(now, 0, kToken).empty()) << "no room";
    EXPECT_EQ(deliveries.take_retries(now, 10, kToken), std::vector{event(1, 10)});
    EXPECT_EQ(deliveries.next_retry(), MonoTime::max());
  }
  for (std::size_t i = 0; i < waits.size(); ++i)
    EXPECT_EQ(waits[i], std::min(kRetry * (std::int64_t{1} << i), Duration::seconds(60)));
}

TEST(Deliveries, work_that_was_refused_for_an_earlier_token_is_begun_again_at_once) {
  InHand deliveries{kRetry, 3};
  deliveries.begin(event(1, 10), kToken);
  deliveries.finish({event(1, 10), WorkResult::fenced}, Token{1, 5, 100}, kNow);
  EXPECT_EQ(deliveries.next_retry(), kNow);
}

TEST(Deliveries, the_store_is_told_why_the_last_attempt_failed) {
  InHand deliveries{Duration::seconds(1), 2};
  deliveries.begin(event(1, 10), kToken);
  deliveries.finish({event(1, 10), WorkResult::failed, {}, "no answer"}, kToken, kNow);
  deliveries.take_retries(kNow + Duration::minutes(1), 1, kToken);
  deliveries.finish({event(1, 10), WorkResult::failed, {}, "answered 500"}, kToken, kNow);
  ASSERT_EQ(deliveries.given_up(), 1u);
  EXPECT_EQ(deliveries.take_given_up(10).front().why, "answered 500");
}

// Stores CHECK what a leader tells them, and what a destination says may be anything.
TEST(Deliveries, whatever_is_said_of_a_failure_the_store_can_keep_it) {
  for (const std::string& said : {std::string(5'000, 'x'), std::string("a\0b\xff\x1b", 5),
                                  std::string("é") + std::string(999, 'x') + "é", std::string()}) {
    InHand deliveries{Duration::seconds(1), 1};
    deliveries.begin(event(1, 10), kToken);
    deliveries.finish({event(1, 10), WorkResult::failed, {}, said}, kToken, kNow);
    EXPECT_EQ(reference::problem_of_reason(deliveries.take_given_up(10).front().why), "");
  }
}

TEST(Deliveries, what_was_not_sent_does_not_count_and_waits_longer_each_time_until_its_age) {
  InHand deliveries{{.retry = kRetry, .attempts = 2, .age = Duration::seconds(100)}};
  deliveries.begin(event(1, 10), kToken, kNow);
  MonoTime now = kNow;
  Duration waited;
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(
        deliveries.finish({event(1, 10), WorkResult::failed, {}, "no such destination", true}, kToken, now),
        Finish::waits);
    EXPECT_GT(deliveries.next_retry() - now, waited);
    waited = deliveries.next_retry() - now;
    now = deliveries.next_retry();
    deliveries.take_retries(now, 10, kToken);
  }
  // The destination is there, and fails: that is the first failure of two.
  ASSERT_EQ(deliveries.finish({event(1, 10), WorkResult::failed}, kToken, now), Finish::waits);
  now = deliveries.next_retry();
  deliveries.take_retries(now, 10, kToken);
  ASSERT_EQ(deliveries.finish({event(1, 10), WorkResult::failed}, kToken, now), Finish::given_up);
  EXPECT_EQ(deliveries.take_given_up(10).front().attempts, 2u);
}

TEST(Deliveries, what_is_not_sent_until_its_age_is_over_is_dead) {
  const Deliveries::Policy policy{.retry = kRetry, .attempts = 2, .age = Duration::seconds(100)};
  InHand deliveries{policy};
  deliveries.begin(event(1, 10), kToken, kNow);
  ASSERT_EQ(deliveries.finish({event(1, 10), WorkResult::failed, {}, "no such destination", true}, kToken,
                              kNow + Duration::seconds(100)),
            Finish::given_up);
  const std::vector<reference::DeadEvent> dead = deliveries.take_given_up(10);
  EXPECT_EQ(dead.front().attempts, 1u) << "no store takes what was never tried";
  EXPECT_EQ(dead.front().why, "no such destination");
}

TEST(Deliveries, work_that_fails_too_often_is_given_up) {
  InHand deliveries{kRetry, 3};
  deliveries.begin(event(1, 10), kToken);
  MonoTime now = kNow;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::failed}, kToken, now), Finish::waits);
    now = deliveries.next_retry();
    deliveries.take_retries(now, 10, kToken);
  }
  EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::failed}, kToken, now), Finish::given_up);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(deliveries.given_up(), 1u);
    EXPECT_TRUE(deliveries.take_delivered(10).empty());
    const std::vector<reference::DeadEvent> dead = deliveries.take_given_up(10);
    ASSERT_EQ(dead.size(), 1u);
    EXPECT_EQ(dead[0].id, event(1, 10));
    EXPECT_EQ(dead[0].attempts, 3u);
    EXPECT_EQ(deliveries.given_up(), 0u);
    EXPECT_TRUE(deliveries.not_acknowledged(kToken));
  }
}

TEST(Deliveries, work_that_the_outbox_has_not_shown_is_given_up_when_it_has) {
  InHand deliveries{kRetry, 1};
  deliveries.begin_unshown(event(1, 10));
  EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::failed}, kToken, kNow), Finish::given_up);
  EXPECT_TRUE(deliveries.lacks_numbers());
  EXPECT_EQ(deliveries.done(), 0u);
  EXPECT_TRUE(deliveries.take_given_up(10).empty());
  deliveries.shown(event(1, 10), 12);
  EXPECT_FALSE(deliveries.lacks_numbers());
  const std::vector<reference::DeadEvent> dead = deliveries.take_given_up(10);
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].seq, 12u);
}

TEST(Deliveries, what_lacks_a_number_is_forgotten_with_the_leadership) {
  InHand deliveries{kRetry, 1};
  deliveries.begin_unshown(event(1, 10));
  deliveries.finish({event(1, 10), WorkResult::failed}, kToken, kNow);
  deliveries.forget_waiting();
  EXPECT_FALSE(deliveries.lacks_numbers());
  EXPECT_TRUE(deliveries.empty());
}

// Whether the store has been told or not: an operator has had it replayed.
TEST(Deliveries, what_was_given_up_and_is_shown_under_another_number_is_forgotten) {
  for (const bool told : {false, true}) {
    InHand deliveries{kRetry, 1};
    deliveries.begin(event(1, 10), kToken);
    deliveries.finish({event(1, 10), WorkResult::failed}, kToken, kNow);
    EXPECT_EQ(deliveries.take_given_up(told ? 10 : 0).size(), told ? 1u : 0u);
    deliveries.shown(event(1, 10), 7);
    EXPECT_TRUE(deliveries.holds(event(1, 10))) << "it is not dead yet";
    deliveries.shown(event(1, 10), 8);
    EXPECT_FALSE(deliveries.holds(event(1, 10)));
    EXPECT_TRUE(deliveries.not_acknowledged(kToken));
    EXPECT_TRUE(deliveries.empty());
  }
}

// The store refused it, or nobody knows; and the next leader, who may be this instance, finds it in the outbox.
TEST(Deliveries, what_was_given_up_under_another_token_and_not_acknowledged_is_forgotten) {
  for (const std::optional<Token> now_leads : {std::optional<Token>{}, std::optional(Token{1, 6, 100})}) {
    InHand deliveries{kRetry, 1};
    deliveries.begin(event(1, 10), kToken);
    deliveries.begin(event(2, 10), kToken);
    deliveries.finish({event(1, 10), WorkResult::failed}, kToken, kNow);
    deliveries.finish({event(2, 10), WorkResult::done}, kToken, kNow);
    EXPECT_EQ(deliveries.take_given_up(10).size(), 1u);
    deliveries.forget_waiting();
    EXPECT_FALSE(deliveries.not_acknowledged(now_leads));
    EXPECT_FALSE(deliveries.holds(event(1, 10)));
    EXPECT_EQ(deliveries.done(), 1u);
    EXPECT_EQ(deliveries.take_delivered(10), std::vector{event(2, 10)});
    EXPECT_TRUE(deliveries.not_acknowledged(now_leads));
    EXPECT_EQ(deliveries.done(), 1u);
  }
}

// A refusal says nothing of the work: another may have led by then.
TEST(Deliveries, refusals_are_no_failures) {
  InHand deliveries{kRetry, 2};
  deliveries.begin(event(1, 10), kToken);
  MonoTime now = kNow;
  for (const auto result : {WorkResult::fenced, WorkResult::fenced, WorkResult::fenced, WorkResult::failed}) {
    EXPECT_EQ(deliveries.finish({event(1, 10), result}, kToken, now), Finish::waits);
    now = deliveries.next_retry();
    deliveries.take_retries(now, 10, kToken);
  }
  EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::failed}, kToken, now), Finish::given_up);
}

TEST(Deliveries, the_next_retry_is_that_of_the_event_that_waits_for_the_least) {
  InHand deliveries{kRetry, 9};
  for (std::uint32_t s = 1; s <= 2; ++s) deliveries.begin(event(s, 10), kToken);
  deliveries.finish({event(1, 10), WorkResult::failed}, kToken, kNow);
  deliveries.finish({event(2, 10), WorkResult::failed}, kToken, kNow + Duration::millis(300));
  EXPECT_EQ(deliveries.take_retries(kNow + kRetry, 10, kToken).size(), 1u);
  EXPECT_EQ(deliveries.next_retry(), kNow + kRetry + Duration::millis(300));
}

TEST(Deliveries, what_has_been_due_for_longest_is_begun_again_first) {
  InHand deliveries{kRetry, 9};
  for (std::uint32_t s = 1; s <= 3; ++s) deliveries.begin(event(s, 10), kToken);
  for (std::uint32_t s = 3; s >= 1; --s)
    deliveries.finish({event(s, 10), WorkResult::failed}, kToken, kNow + Duration::millis(3 - s));
  EXPECT_EQ(deliveries.take_retries(kNow + kRetry * 2, 2, kToken), (std::vector{event(3, 10), event(2, 10)}));
  EXPECT_EQ(deliveries.take_retries(kNow + kRetry * 2, 2, kToken), std::vector{event(1, 10)});
}

// Its work ran on from one leadership of the process into the next.
TEST(Deliveries, failures_are_counted_anew_under_each_token) {
  InHand deliveries{kRetry, 2};
  const Token next{1, 5, 100};
  deliveries.begin(event(1, 10), kToken);
  EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::failed}, next, kNow), Finish::waits);
  MonoTime now = deliveries.next_retry();
  deliveries.take_retries(now, 1, next);
  EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::failed}, next, now), Finish::waits);
  now = deliveries.next_retry();
  deliveries.take_retries(now, 1, next);
  EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::failed}, next, now), Finish::given_up);
}

TEST(Deliveries, are_taken_in_the_order_in_which_they_came_back) {
  InHand deliveries{kRetry, 3};
  for (const auto& e : {event(3, 20), event(1, 10), event(2, 20), event(1, 10, 7)})
    deliveries.begin(e, kToken);
  for (const auto& e : {event(2, 20), event(1, 10, 7), event(3, 20)})
    deliveries.finish({e, WorkResult::done}, kToken, kNow);
  EXPECT_EQ(deliveries.take_delivered(2), (std::vector{event(2, 20), event(1, 10, 7)}));
  EXPECT_EQ(deliveries.done(), 1u);
  EXPECT_EQ(deliveries.running(), 1u);
}

TEST(Deliveries, an_acknowledgement_that_failed_is_made_again) {
  InHand deliveries{kRetry, 3};
  deliveries.begin(event(1, 10), kToken);
  deliveries.finish({event(1, 10), WorkResult::done}, kToken, kNow);
  EXPECT_EQ(deliveries.take_delivered(10).size(), 1u);
  EXPECT_EQ(deliveries.take_delivered(10).size(), 0u);
  deliveries.not_acknowledged(kToken);
  EXPECT_EQ(deliveries.done(), 1u);
  EXPECT_EQ(deliveries.take_delivered(10).size(), 1u);
}

TEST(Deliveries, know_nothing_of_work_that_was_never_begun) {
  InHand deliveries{kRetry, 3};
  EXPECT_EQ(deliveries.finish({event(1, 10), WorkResult::fenced}, kToken, kNow), Finish::not_here);
  EXPECT_EQ(deliveries.done(), 0u);
  deliveries.begin(event(1, 10), kToken);
  deliveries.finish({event(1, 10), WorkResult::done}, kToken, kNow);
  deliveries.finish({event(1, 10), WorkResult::done}, kToken, kNow);
  EXPECT_EQ(deliveries.done(), 1u);
}

}  // namespace
}  // namespace tenure
