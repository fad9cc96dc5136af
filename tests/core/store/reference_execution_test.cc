// Events that consumers claim: attempts, heartbeats, ends, back-off, death, and overlap as the store judges it.
#include <gtest/gtest.h>

#include <string>

#include "tests/core/store/reference_fixture.h"

namespace tenure::reference {
namespace {

const Duration kClaimTime = Duration::seconds(10);

Definition pulled(Overlap overlap = Overlap::allow, bool strict_order = false) {
  Definition definition = every(kClaimTime);
  definition.overlap = overlap;
  definition.delivery.kind = Delivery::Kind::pull;
  definition.delivery.strict_order = strict_order;
  definition.delivery.attempts = 3;
  definition.delivery.back_off = Duration::seconds(1);
  definition.delivery.longest_back_off = Duration::seconds(60);
  return definition;
}

struct ReferenceExecution : ::testing::Test, ReferenceFixture {
  ReferenceExecution() { token = lead(kLeader, Duration::hours(24 * 300)); }

  void create(const std::string& name, const Definition& definition, const std::string& topic = "mail") {
    Payload payload;
    payload.topic = topic;
    expect<NamedEdited>(PutNamed{kResource, name, {}, definition, payload, ""});
  }
  // The next slot of the schedule is due, and the leader commits it.
  RowResult fire(std::uint32_t schedule = 1) {
    for (const Segment& segment : due(StoreTime::max()).segments)
      if (segment.schedule.value == schedule) {
        now = std::max(now, segment.cursor);
        LedgerRow row = fired(schedule, segment.version, segment.cursor, segment.cursor + kClaimTime);
        row.from = segment.cursor;
        return cover(kLeader, token, row);
      }
    return RowResult::no_segment;
  }
  std::vector<Execution> claim(std::uint32_t max = 9, const std::string& topic = "mail") {
    return expect<ClaimedExecutions>(ClaimExecutions{kResource, topic, max, kClaimTime, "w", ++nonces})
        .executions;
  }
  ExecutionState extend(const ExecutionToken& of, Duration duration = kClaimTime) {
    return expect<ExecutionStates>(ExtendExecutions{kResource, duration, {of}}).executions.at(0);
  }
  ExecutionState end(const ExecutionToken& of, bool failed = false) {
    return expect<ExecutionStates>(EndExecutions{kResource, {{of, failed, failed ? "no route" : ""}}})
        .executions.at(0);
  }
  ExecutionState release(const ExecutionToken& of) {
    return expect<ExecutionStates>(ReleaseExecutions{kResource, {of}}).executions.at(0);
  }
  std::vector<WaitingEvent> waiting() { return expect<WaitingEvents>(ReadWaiting{kResource}).events; }
  std::vector<DeadEvent> dead() { return expect<Dead>(ReadDead{kResource}).events; }

  Token token;
};

TEST_F(ReferenceExecution, events_that_are_pulled_are_not_the_leaders_work) {
  create("report", pulled());
  fire();
  EXPECT_TRUE(outbox().events.empty());
  ASSERT_EQ(waiting().size(), 1U);
  EXPECT_EQ(waiting()[0].name, "mail");
  EXPECT_EQ(waiting()[0].at, now);
  EXPECT_EQ(expect<Depths>(ReadDepths{kResource}).pull.events, 1U);
  EXPECT_EQ(expect<Depths>(ReadDepths{kResource}).work.events, 0U);
}

TEST_F(ReferenceExecution, a_claim_hands_out_events_of_its_topic_in_the_order_of_commits) {
  create("report", pulled());
  create("other", pulled(), "post");
  for (int i = 0; i < 3; ++i) fire();
  fire(2);
  const auto two = claim(2);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_LT(two[0].seq, two[1].seq);
  EXPECT_EQ(two[0].token.attempt, 1U);
  EXPECT_EQ(two[0].until, now + kClaimTime);
  EXPECT_EQ(two[0].version, 1U);
  ASSERT_EQ(claim().size(), 1U) << "the third; two are claimed";
  EXPECT_EQ(claim(9, "post").size(), 1U);
  EXPECT_TRUE(claim().empty());
}

TEST_F(ReferenceExecution, what_is_completed_is_over_however_often_it_is_said) {
  create("report", pulled());
  fire();
  const ExecutionToken done = claim().at(0).token;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(end(done).standing, Standing::completed);
  EXPECT_EQ(extend(done).standing, Standing::completed);
  EXPECT_EQ(end(done, true).standing, Standing::completed) << "it cannot fail any more";
  EXPECT_TRUE(waiting().empty());
  now += kClaimTime * 10;
  EXPECT_TRUE(claim().empty());
}

TEST_F(ReferenceExecution, a_claim_that_is_over_is_handed_out_again_and_only_then_refused) {
  create("report", pulled());
  fire();
  const ExecutionToken first = claim().at(0).token;
  now += kClaimTime;
  EXPECT_EQ(extend(first).standing, Standing::claimed) << "nobody else has it yet";
  now += kClaimTime;
  const auto again = claim();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].token.attempt, 2U);
  EXPECT_EQ(extend(first).standing, Standing::reissued);
  EXPECT_EQ(end(first).standing, Standing::reissued);
  EXPECT_EQ(end(again[0].token).standing, Standing::completed);
  EXPECT_EQ(end(first).standing, Standing::reissued);
}

TEST_F(ReferenceExecution, a_heartbeat_without_a_duration_extends_the_claim_by_as_much_as_before) {
  create("report", pulled());
  fire();
  const ExecutionToken running = claim().at(0).token;
  now += kClaimTime / 2;
  EXPECT_EQ(extend(running, Duration{}).until, now + kClaimTime);
  now += kClaimTime / 2;
  EXPECT_EQ(extend(running, kClaimTime * 30).until, now + kClaimTime * 30);
  now += kClaimTime * 29;
  EXPECT_EQ(extend(running, Duration{}).until, now + kClaimTime * 30) << "as the last heartbeat said";
  now += kClaimTime * 29;
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(extend(running, kClaimTime).until, now + kClaimTime) << "who says less is given less";
}

TEST_F(ReferenceExecution, a_completion_counts_until_the_event_is_handed_out_again) {
  create("report", pulled());
  fire();
  const ExecutionToken first = claim().at(0).token;
  now += kClaimTime * 1'000;
  EXPECT_EQ(end(first).standing, Standing::completed);
}

TEST_F(ReferenceExecution, a_failure_waits_twice_as_long_each_time_and_then_is_dead) {
  create("report", pulled());
  fire();
  const ExecutionToken first = claim().at(0).token;
  const ExecutionState failed = end(first, true);
  EXPECT_EQ(failed.standing, Standing::failed);
  EXPECT_EQ(failed.until, now + Duration::seconds(1));
  now += Duration::seconds(1) - kMicro;
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(end(first, true).until, failed.until) << "the same failure, said again";
  now += kMicro;
  const ExecutionToken second = claim().at(0).token;
  EXPECT_EQ(end(second, true).until, now + Duration::seconds(2));
  now += Duration::seconds(2);
  const ExecutionToken third = claim().at(0).token;
  EXPECT_EQ(end(third, true).standing, Standing::dead);
  EXPECT_EQ(end(third, true).standing, Standing::dead);
  EXPECT_TRUE(waiting().empty());
  ASSERT_EQ(dead().size(), 1U);
  EXPECT_EQ(dead()[0].attempts, 3U);
  EXPECT_EQ(dead()[0].why, "no route");
  EXPECT_EQ(expect<Depths>(ReadDepths{kResource}).dead.oldest, now);
}

TEST_F(ReferenceExecution, a_failure_can_still_be_completed) {
  create("report", pulled());
  fire();
  const ExecutionToken first = claim().at(0).token;
  end(first, true);
  EXPECT_EQ(end(first).standing, Standing::completed);
  EXPECT_TRUE(waiting().empty());
}

TEST_F(ReferenceExecution, what_is_given_back_is_claimed_at_once_and_does_not_count) {
  create("report", pulled());
  fire();
  ExecutionToken last;
  for (std::uint32_t attempt = 1; attempt <= 5; ++attempt) {
    last = claim().at(0).token;
    EXPECT_EQ(last.attempt, attempt) << "numbers go up: they fence effects";
    EXPECT_TRUE(claim().empty());
    for (int i = 0; i < 2; ++i) EXPECT_EQ(release(last).standing, Standing::released);
    EXPECT_EQ(extend(last).standing, Standing::released);
    EXPECT_EQ(end(last, true).standing, Standing::released) << "it had given it back";
  }
  for (int i = 0; i < 3; ++i) {
    last = claim().at(0).token;
    const ExecutionState failed = end(last, true);
    if (i < 2) {
      EXPECT_EQ(failed.until, now + Duration::seconds(1 + i)) << "nor does it make the wait longer";
      EXPECT_EQ(release(last).standing, Standing::failed) << "too late";
    }
    now += kClaimTime;
  }
  ASSERT_EQ(dead().size(), 1U);
  EXPECT_EQ(dead()[0].attempts, 3U);
  EXPECT_EQ(last.attempt, 8U);
}

TEST_F(ReferenceExecution, what_was_given_back_can_be_completed_until_it_is_handed_out_again) {
  create("report", pulled());
  fire();
  fire();
  const std::vector<Execution> both = claim();
  release(both[0].token);
  EXPECT_EQ(end(both[0].token).standing, Standing::completed);
  EXPECT_EQ(release(both[0].token).standing, Standing::completed);
  release(both[1].token);
  claim();
  EXPECT_EQ(end(both[1].token).standing, Standing::reissued);
  EXPECT_EQ(release(both[1].token).standing, Standing::reissued);
}

TEST_F(ReferenceExecution, a_claim_that_is_over_can_be_given_back_still) {
  create("report", pulled());
  fire();
  const ExecutionToken first = claim().at(0).token;
  now += kClaimTime;
  EXPECT_EQ(release(first).standing, Standing::released);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(claim().size(), 1U);
    now += kClaimTime;
  }
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(dead().size(), 1U);
}

TEST_F(ReferenceExecution, what_is_given_back_and_was_to_give_way_is_gone) {
  create("report", pulled(Overlap::replace));
  fire();
  const ExecutionToken first = claim().at(0).token;
  ASSERT_EQ(extend(first, Duration::hours(1)).standing, Standing::claimed);
  now = at(2'000);
  fire();
  ASSERT_EQ(extend(first, Duration::hours(1)).standing, Standing::cancelled);
  EXPECT_EQ(release(first).standing, Standing::replaced);
  EXPECT_EQ(waiting().size(), 1U);
}

TEST_F(ReferenceExecution, in_strict_order_what_is_given_back_is_first_again) {
  create("report", pulled(Overlap::allow, true));
  fire();
  fire();
  const ExecutionToken first = claim().at(0).token;
  release(first);
  EXPECT_EQ(claim().at(0).token.event, first.event);
}

TEST_F(ReferenceExecution, time_outs_count_as_attempts) {
  create("report", pulled());
  fire();
  for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(claim().at(0).token.attempt, attempt);
    now += kClaimTime;
  }
  EXPECT_TRUE(claim().empty());
  ASSERT_EQ(dead().size(), 1U);
  EXPECT_EQ(dead()[0].why, "the claim was over before the work was");
}

TEST_F(ReferenceExecution, a_redriven_event_may_fail_as_often_again_and_the_numbers_of_attempts_go_on) {
  create("report", pulled());
  fire();
  release(claim().at(0).token);  // which does not count, and has a number
  for (std::uint32_t round = 0; round < 3; ++round) {
    ExecutionToken last;
    for (std::uint32_t i = 0; i < 3; ++i) {
      last = claim().at(0).token;
      EXPECT_EQ(last.attempt, 2 + round * 3 + i);
      end(last, true);
      now += kClaimTime;
    }
    ASSERT_EQ(dead().size(), 1U);
    EXPECT_EQ(dead()[0].attempts, 3U);
    EXPECT_EQ(expect<Redriven>(Redrive{kResource, {last.event}}).events, 1U);
    ASSERT_EQ(waiting().size(), 1U);
    EXPECT_EQ(waiting()[0].attempt, last.attempt);
    EXPECT_TRUE(outbox().events.empty());
    EXPECT_EQ(end(last).standing, Standing::reissued);
  }
}

TEST_F(ReferenceExecution, nothing_times_out_under_a_hold_and_claims_stand_anew_after_it) {
  create("report", pulled());
  fire();
  claim();
  now += Duration::hours(1);  // the clock has jumped
  expect<HoldSet>(SetHold{kResource, kLeader, token, Duration::hours(1)});
  EXPECT_TRUE(claim().empty());
  EXPECT_TRUE(waiting().at(0).claimed);
  expect<HoldSet>(ClearHold{kResource, kLeader, token});
  EXPECT_EQ(waiting().at(0).until, now + kClaimTime);
  now += kClaimTime - kMicro;
  EXPECT_TRUE(claim().empty());
  now += kMicro;
  EXPECT_EQ(claim().at(0).token.attempt, 2U);
}

TEST_F(ReferenceExecution, a_claim_is_counted_again_when_the_clock_went_back_behind_it) {
  create("report", pulled());
  fire();
  claim();
  now = now - Duration::hours(1);
  EXPECT_TRUE(claim().empty());
  now += kClaimTime;
  EXPECT_EQ(claim().size(), 1U) << "and not in an hour";
}

TEST_F(ReferenceExecution, an_acknowledgement_takes_what_nobody_has_claimed) {
  create("report", pulled());
  fire();
  fire();
  const Execution first = claim(1).at(0);
  AckEvents ack{kResource, {}};
  for (const WaitingEvent& event : waiting()) ack.events.push_back({event.id, Delivery::Kind::pull});
  EXPECT_EQ(expect<Acknowledged>(ack).claimed, 1U);
  ASSERT_EQ(waiting().size(), 1U);
  EXPECT_EQ(waiting()[0].id, first.token.event);
  EXPECT_EQ(end(first.token).standing, Standing::completed);
}

// ---- overlap ---------------------------------------------------------------------------------------------

TEST_F(ReferenceExecution, skip_records_a_slot_as_overlapped_while_an_event_waits_or_runs) {
  create("report", pulled(Overlap::skip));
  EXPECT_EQ(fire(), RowResult::covered);
  EXPECT_EQ(fire(), RowResult::overlapped) << "it waits";
  const ExecutionToken first = claim().at(0).token;
  EXPECT_EQ(fire(), RowResult::overlapped) << "it runs";
  ASSERT_EQ(ledger().exceptions.size(), 1U) << "they adjoin";
  EXPECT_EQ(ledger().exceptions[0].what, Disposition::overlapped);
  end(first);
  EXPECT_EQ(fire(), RowResult::covered);
}

TEST_F(ReferenceExecution, queue_one_lets_one_wait_behind_another_and_hands_out_one_at_a_time) {
  create("report", pulled(Overlap::queue_one));
  EXPECT_EQ(fire(), RowResult::covered);
  EXPECT_EQ(fire(), RowResult::covered);
  EXPECT_EQ(fire(), RowResult::overlapped);
  const auto first = claim();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(claim().empty());
  end(first[0].token, true);
  const auto second = claim();
  ASSERT_EQ(second.size(), 1U) << "the first one waits after its failure, and this is no strict order";
  EXPECT_NE(second[0].token.event, first[0].token.event);
}

TEST_F(ReferenceExecution, strict_order_waits_for_the_first_one_also_while_that_waits) {
  create("report", pulled(Overlap::allow, true));
  fire();
  fire();
  const ExecutionToken first = claim().at(0).token;
  EXPECT_TRUE(claim().empty());
  end(first, true);
  EXPECT_TRUE(claim().empty());
  now += Duration::seconds(1);
  const ExecutionToken again = claim().at(0).token;
  EXPECT_EQ(again.event, first.event);
  end(again);
  EXPECT_EQ(claim().size(), 1U);
}

// An edit leaves events of two versions.
struct ReferenceExecutionAfterAnEdit : ReferenceExecution {
  // One event of each.
  void fire_two(const Definition& before, const Definition& after) {
    create("report", before);
    EXPECT_EQ(fire(), RowResult::covered);
    expect<NamedEdited>(PutNamed{kResource, "report", Edition{{1}, 1}, after, topic(), ""});
    EXPECT_EQ(fire(), RowResult::covered);
  }
  void fail(const ExecutionToken& attempt) {
    end(attempt, true);
    now += Duration::seconds(1);  // its back-off
  }
  static Payload topic() {
    Payload payload;
    payload.topic = "mail";
    return payload;
  }
};

TEST_F(ReferenceExecutionAfterAnEdit, the_first_of_a_strict_order_waits_for_what_was_handed_out_meanwhile) {
  fire_two(pulled(Overlap::allow, true), pulled(Overlap::queue_one));
  const ExecutionToken first = claim(1).at(0).token;
  end(first, true);
  const ExecutionToken second = claim().at(0).token;
  EXPECT_NE(second.event, first.event)
      << "the first one waits after its failure, and this version is not strict";
  now += Duration::seconds(1);
  EXPECT_TRUE(claim().empty()) << "one at a time, say both";
  end(second);
  EXPECT_EQ(claim().at(0).token.event, first.event);
}

TEST_F(ReferenceExecutionAfterAnEdit, later_events_that_may_overlap_keep_no_earlier_one_waiting) {
  fire_two(pulled(Overlap::skip), pulled());
  const auto both = claim();
  ASSERT_EQ(both.size(), 2U) << "the later one has no turn to wait for";
  fail(both[0].token);
  EXPECT_EQ(claim().at(0).token.event, both[0].token.event) << "beside the other one, which is at work";
}

TEST_F(ReferenceExecutionAfterAnEdit,
       later_events_that_may_overlap_keep_the_first_of_a_strict_order_not_waiting) {
  fire_two(pulled(Overlap::allow, true), pulled());
  const auto both = claim();
  ASSERT_EQ(both.size(), 2U) << "the later one has no turn to wait for";
  fail(both[0].token);
  EXPECT_EQ(claim().at(0).token.event, both[0].token.event) << "beside the other one, which is at work";
}

TEST_F(ReferenceExecutionAfterAnEdit, an_event_that_is_to_be_alone_waits_for_earlier_ones_that_need_not) {
  fire_two(pulled(), pulled(Overlap::queue_one));
  const auto first = claim();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(claim().empty());
  end(first[0].token);
  EXPECT_EQ(claim().size(), 1U);
}

TEST_F(ReferenceExecutionAfterAnEdit, no_destination_delays_what_is_pulled) {
  Definition pushed = pulled(Overlap::allow, true);
  pushed.delivery.kind = Delivery::Kind::push;
  pushed.delivery.destination = "shop";
  fire_two(pushed, pulled(Overlap::allow, true));
  EXPECT_EQ(claim().size(), 1U);
}

// It may be on its way, and cannot be asked to stop.
TEST_F(ReferenceExecutionAfterAnEdit, replace_leaves_what_is_pushed_alone) {
  Definition pushed = pulled();
  pushed.delivery.kind = Delivery::Kind::push;
  pushed.delivery.destination = "shop";
  fire_two(pushed, pulled(Overlap::replace));
  EXPECT_EQ(expect<WaitingEvents>(ReadWaiting{kResource, Delivery::Kind::push, "shop"}).events.size(), 1U);
  fire();
  EXPECT_EQ(waiting().size(), 1U) << "the second one has taken the place of the first that is pulled";
  EXPECT_EQ(expect<Depths>(ReadDepths{kResource}).push.events, 1U);
}

TEST_F(ReferenceExecution, replace_takes_the_place_of_what_waits_and_asks_what_runs_to_stop) {
  create("report", pulled(Overlap::replace));
  fire();
  EXPECT_EQ(fire(), RowResult::covered);
  ASSERT_EQ(waiting().size(), 1U) << "the first one gave way";
  const ExecutionToken running = claim().at(0).token;
  EXPECT_EQ(extend(running, Duration::hours(1)).standing, Standing::claimed);
  fire();
  EXPECT_EQ(extend(running).standing, Standing::cancelled);
  EXPECT_TRUE(claim().empty()) << "it is still at work";
  EXPECT_EQ(end(running, true).standing, Standing::replaced) << "it is not tried again";
  EXPECT_EQ(end(running, true).standing, Standing::replaced);
  ASSERT_EQ(claim().size(), 1U);
  EXPECT_TRUE(dead().empty());
}

TEST_F(ReferenceExecution, replace_hands_out_the_next_one_when_the_worker_is_silent) {
  create("report", pulled(Overlap::replace));
  fire();
  const ExecutionToken running = claim().at(0).token;
  fire();
  now += kClaimTime;
  const auto next = claim();
  ASSERT_EQ(next.size(), 1U);
  EXPECT_NE(next[0].token.event, running.event);
  EXPECT_EQ(extend(running).standing, Standing::replaced);
}

TEST_F(ReferenceExecution, replace_leaves_manual_runs_alone) {
  create("report", pulled(Overlap::replace));
  expect<Edited>(TriggerSchedule{kResource, {1}, 7, now});
  fire();
  ASSERT_EQ(waiting().size(), 2U);
  ASSERT_EQ(claim().size(), 1U) << "one at a time";
}

TEST_F(ReferenceExecution, an_edit_does_not_change_how_events_that_wait_are_delivered) {
  create("report", pulled());
  fire();
  Payload payload;
  payload.topic = "post";
  expect<NamedEdited>(PutNamed{kResource, "report", Edition{{1}, 1}, every(kClaimTime), payload, ""});
  EXPECT_EQ(claim().size(), 1U) << "under the topic of the version that fired";
  fire();
  EXPECT_EQ(outbox().events.size(), 1U) << "the leader's own work now";
  const auto read = expect<Payloads>(ReadPayloads{kResource, {waiting().at(0).id}}).events.at(0);
  EXPECT_EQ(read.version, 1U);
  EXPECT_EQ(read.payload.topic, "mail");
}

TEST_F(ReferenceExecution, a_pushed_event_is_apart_by_its_destination) {
  Definition definition = pulled();
  definition.delivery.kind = Delivery::Kind::push;
  definition.delivery.destination = "crm";
  create("report", definition);
  fire();
  EXPECT_TRUE(claim().empty());
  EXPECT_TRUE(waiting().empty());
  EXPECT_TRUE(outbox().push_waits);
  const ReadWaiting read{kResource, Delivery::Kind::push, "crm"};
  const auto events = expect<WaitingEvents>(read).events;
  ASSERT_EQ(events.size(), 1U);
  expect<GivenUp>(GiveUpEvents{kResource, kLeader, token, {{events[0].id, 5, 0, {}, "HTTP 500"}}});
  EXPECT_TRUE(expect<WaitingEvents>(read).events.empty());
  EXPECT_FALSE(outbox().push_waits);
  ASSERT_EQ(dead().size(), 1U);
  EXPECT_EQ(dead()[0].why, "HTTP 500");
  expect<Redriven>(Redrive{kResource, {events[0].id}});
  EXPECT_EQ(expect<WaitingEvents>(read).events.size(), 1U);
  EXPECT_TRUE(outbox().push_waits);
}

}  // namespace
}  // namespace tenure::reference
