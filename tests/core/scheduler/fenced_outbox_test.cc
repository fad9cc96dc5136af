// Following, taking over and firing, one step at a time.
#include "tests/core/scheduler/fenced_outbox_fixture.h"

namespace tenure::testing {
namespace {

using FencedOutboxTest = FencedOutboxFixture;

// ---- following ---------------------------------------------------------------------------------------------

TEST_F(FencedOutboxTest, follows_the_change_feed_from_the_start_and_with_a_phase_of_its_own) {
  world_.draw("poll-phase", Duration::seconds(4).ns());
  step(Started{world_.self(), 3});
  const auto poll = world_.only_request<reference::ChangesSince>();
  EXPECT_EQ(poll.submission.part, Part::scheduler);
  EXPECT_EQ(poll.submission.deadline, world_.now() + Duration::seconds(3));
  EXPECT_FALSE(poll.submission.as_leader);
  answer_poll();
  EXPECT_EQ(world_.timer(kTimer), mono_zero_ + Duration::seconds(4));
  wake();
  EXPECT_TRUE(waits<reference::ChangesSince>());
}

TEST_F(FencedOutboxTest, has_one_poll_under_way_at_a_time) {
  step(Started{world_.self(), 3});
  for (int i = 0; i < 3; ++i)
    step(ChangeNotified{StoreId{0}, {Notification::What::schedules_changed, kResource}});
  EXPECT_EQ(world_.requests<reference::ChangesSince>().size(), 1u);
  answer_poll();
  EXPECT_TRUE(
      waits<reference::ChangesSince>());  // what was notified meanwhile may not have been in the answer
}

TEST_F(FencedOutboxTest, polls_at_once_when_told_of_a_change_to_its_own_resource) {
  start();
  world_.take();
  step(ChangeNotified{StoreId{0}, {Notification::What::schedules_changed, ResourceId{99}}});
  step(ChangeNotified{StoreId{0}, {Notification::What::lease_freed, kResource}});
  step(ChangeNotified{StoreId{1}, {Notification::What::schedules_changed, kResource}});
  EXPECT_FALSE(waits<reference::ChangesSince>());
  step(ChangeNotified{StoreId{0}, {Notification::What::schedules_changed, kResource}});
  EXPECT_TRUE(waits<reference::ChangesSince>());
}

TEST_F(FencedOutboxTest, reads_the_feed_page_by_page_from_where_it_is) {
  step(Started{world_.self(), 3});
  answer<reference::ChangesSince>(reference::Changes{{created(4, kA, 10)}, 4, true, std::nullopt});
  EXPECT_EQ(world_.only_request<reference::ChangesSince>().request.seq, 4u);
}

// A failover that lost edits gives their numbers to others: that nothing new is there says nothing.
TEST_F(FencedOutboxTest, reads_the_feed_of_another_branch_from_its_beginning) {
  start({created(4, kA, 10)});
  wake();
  EXPECT_EQ(world_.only_request<reference::ChangesSince>().request.seq, 4u);
  answer<reference::ChangesSince>(reference::Changes{{}, 4, false, std::nullopt, 2});
  EXPECT_EQ(world_.only_request<reference::ChangesSince>().request.seq, 0u);
  answer<reference::ChangesSince>(reference::Changes{{created(4, kB, 7)}, 4, false, std::nullopt, 2});
  wake();
  EXPECT_EQ(world_.only_request<reference::ChangesSince>().request.seq, 4u);
}

TEST_F(FencedOutboxTest, as_a_leader_takes_nothing_that_is_due_on_another_branch_than_its_table) {
  start({created(1, kA, -5)});
  lead();
  answer<reference::ReadDue>(reference::Due{{segment(kA, -5)}, false, 1, std::nullopt, 2});
  EXPECT_EQ(world_.only_request<reference::ChangesSince>().request.seq, 0u);
  answer<reference::ChangesSince>(reference::Changes{{created(1, kA, -5)}, 1, false, std::nullopt, 2});
  wake();
  EXPECT_TRUE(waits<reference::ReadDue>()) << "from the beginning";
}

TEST_F(FencedOutboxTest, as_a_standby_asks_for_nothing_but_the_feed) {
  start({created(1, kA, 1)});
  for (int i = 0; i < 20; ++i) {
    wake();
    for (const auto& asked : world_.all<Requested>())
      EXPECT_TRUE(std::holds_alternative<reference::ChangesSince>(
          std::get<reference::Request>(asked.submission.request)));
    if (waits<reference::ChangesSince>()) answer_poll();
  }
  EXPECT_TRUE(scheduler_->idle());
}

TEST_F(FencedOutboxTest, a_belief_without_a_token_or_with_an_end_that_has_passed_is_no_leadership) {
  start({created(1, kA, 1)});
  leadership_ = {std::nullopt, MonoTime::max()};
  step(TimerFired{{Part::elector, 0}});
  leadership_ = {kToken, world_.now()};
  step(TimerFired{{Part::elector, 0}});
  EXPECT_TRUE(world_.outstanding().empty());
}

// ---- taking over -------------------------------------------------------------------------------------------

TEST_F(FencedOutboxTest, a_new_leader_reads_what_is_due_and_then_the_outbox) {
  start({created(1, kA, 10)});
  lead();
  const auto due = world_.only_request<reference::ReadDue>();
  EXPECT_FALSE(due.submission.as_leader);
  EXPECT_GE(due.request.horizon, store_now() + Duration::seconds(59));
  answer<reference::ReadDue>(reference::Due{{segment(kA, 10)}, false, 1, std::nullopt});
  EXPECT_TRUE(waits<reference::ReadOutbox>());
  EXPECT_FALSE(waits<reference::CommitFires>());
}

TEST_F(FencedOutboxTest, delivers_what_its_predecessor_committed_with_its_own_token) {
  start({created(1, kA, 10)});
  lead();
  answer<reference::ReadDue>(reference::Due{{}, false, 1, std::nullopt});
  answer<reference::ReadOutbox>(reference::Outbox{{{7, {kA, slot(-10), 0}}, {8, {kA, slot(0), 0}}}, false});
  const auto work = world_.all<Executed>();
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[0].item.event, (reference::EventId{kA, slot(-10), 0}));
  EXPECT_EQ(work[1].item.event, (reference::EventId{kA, slot(0), 0}));
  EXPECT_EQ(work[0].item.token, kToken);
  EXPECT_TRUE(work[0].item.once);
}

TEST_F(FencedOutboxTest, reads_every_page_before_it_fires) {
  start({created(1, kA, -5), created(2, kB, -5)});
  lead();
  answer<reference::ReadDue>(reference::Due{{segment(kA, -5)}, true, 2, std::nullopt});
  const auto second = world_.only_request<reference::ReadDue>();
  ASSERT_TRUE(second.request.after.has_value());
  EXPECT_EQ(second.request.after->schedule, kA);
  answer<reference::ReadDue>(reference::Due{{segment(kB, -5)}, false, 2, std::nullopt});
  answer<reference::ReadOutbox>(reference::Outbox{{{1, {kA, slot(-15), 0}}}, true});
  EXPECT_EQ(world_.only_request<reference::ReadOutbox>().request.after, 1u);
  answer<reference::ReadOutbox>(reference::Outbox{});
  EXPECT_EQ(world_.only_request<reference::CommitFires>().request.rows.size(), 2u);
}

TEST_F(FencedOutboxTest, waits_for_its_table_to_reach_what_the_store_knows) {
  start();
  lead();
  answer<reference::ReadDue>(reference::Due{{segment(kA, -5)}, false, 1, std::nullopt});
  EXPECT_TRUE(waits<reference::ChangesSince>());
  answer<reference::ReadOutbox>(reference::Outbox{});
  EXPECT_FALSE(waits<reference::CommitFires>());
  answer_poll({created(1, kA, -5)});
  EXPECT_TRUE(waits<reference::CommitFires>() || waits<reference::ReadOutbox>());
}

TEST_F(FencedOutboxTest, reads_the_feed_anew_when_it_lacks_a_definition) {
  start({created(5, kB, 10)});
  lead();
  answer<reference::ReadDue>(reference::Due{{segment(kA, -5)}, false, 5, std::nullopt});
  ASSERT_TRUE(waits<reference::ChangesSince>());
  EXPECT_EQ(world_.requests<reference::ChangesSince>().front().request.seq, 0u);
}

// ---- firing ------------------------------------------------------------------------------------------------

TEST_F(FencedOutboxTest, commits_at_the_slot_and_says_that_it_checked) {
  lead_with_a(3);
  EXPECT_FALSE(waits<reference::CommitFires>());
  wake_until_commit();
  EXPECT_GE(store_now(), slot(3));
  EXPECT_LE(store_now(), slot(3) + Duration::millis(2));
  EXPECT_EQ(world_.notes<LeadershipChecked>().size(), 1u);
  const auto commit = world_.only_request<reference::CommitFires>();
  EXPECT_TRUE(commit.submission.as_leader);
  EXPECT_EQ(commit.request.holder, world_.self());
  EXPECT_EQ(commit.request.token, kToken);
  ASSERT_EQ(commit.request.rows.size(), 1u);
  EXPECT_EQ(commit.request.rows[0].slot, slot(3));
  EXPECT_EQ(commit.request.rows[0].to, slot(13));
}

TEST_F(FencedOutboxTest, works_only_after_the_store_has_committed) {
  lead_with_a(3);
  wake_until_commit();
  EXPECT_TRUE(world_.all<Executed>().empty());
  commit_covered();
  const auto work = world_.all<Executed>();
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].item.event, (reference::EventId{kA, slot(3), 0}));
  EXPECT_EQ(work[0].item.token, kToken);
  EXPECT_TRUE(work[0].item.once);
}

TEST_F(FencedOutboxTest, does_nothing_when_its_belief_has_ended_by_the_time_it_wakes) {
  lead_with_a(3);
  leadership_.believed_until = mono_zero_ + Duration::millis(2'900);
  pass_time_until(slot(5));
  EXPECT_FALSE(waits<reference::CommitFires>());
}

TEST_F(FencedOutboxTest, executes_nothing_when_leadership_was_lost_while_it_committed) {
  lead_with_a(3);
  wake_until_commit();
  const RequestId id = waiting<reference::CommitFires>();
  lose_leadership();
  world_.take();
  step(world_.applied(id, reference::Committed{{reference::RowResult::covered}}));
  EXPECT_TRUE(world_.all<Executed>().empty());
}

TEST_F(FencedOutboxTest, executes_nothing_when_belief_ends_with_the_answer) {
  lead_with_a(3);
  wake_until_commit();
  leadership_.believed_until = world_.now();  // no step tells of it before the answer does
  commit_covered();
  EXPECT_TRUE(world_.all<Executed>().empty());
}

TEST_F(FencedOutboxTest, starts_over_when_one_token_follows_another_at_once) {
  lead_with_a(3);
  world_.take();
  leadership_.token = Token{1, 6, 78};
  pass_time([this] { return waits<reference::ReadDue>(); });
  EXPECT_FALSE(waits<reference::CommitFires>());
  EXPECT_LT(store_now(), slot(5));
}

TEST_F(FencedOutboxTest, a_commit_of_an_earlier_leadership_is_left_to_the_outbox) {
  lead_with_a(3);
  wake_until_commit();
  const RequestId id = waiting<reference::CommitFires>();
  lose_leadership();
  lead({1, 6, 78});
  world_.take();
  step(world_.applied(id, reference::Committed{{reference::RowResult::covered}}));
  EXPECT_TRUE(world_.all<Executed>().empty());
  answer<reference::ReadDue>(reference::Due{{segment(kA, 13)}, false, 1, std::nullopt});
  answer<reference::ReadOutbox>(reference::Outbox{{{1, {kA, slot(3), 0}}}, false});
  ASSERT_EQ(world_.all<Executed>().size(), 1u);
  EXPECT_EQ(world_.all<Executed>()[0].item.token, (Token{1, 6, 78}));
}

TEST_F(FencedOutboxTest, when_the_fate_of_a_commit_is_unknown_it_reads_everything_again) {
  lead_with_a(3);
  wake_until_commit();
  world_.advance(Duration::seconds(3));
  world_.take();
  step(world_.unknown(waiting<reference::CommitFires>()));
  EXPECT_TRUE(world_.all<Executed>().empty());
  EXPECT_FALSE(waits<reference::CommitFires>());
  while (!waits<reference::ReadDue>()) wake();
  answer<reference::ReadDue>(reference::Due{{segment(kA, 13)}, false, 1, std::nullopt});
  answer<reference::ReadOutbox>(
      reference::Outbox{{{1, {kA, slot(3), 0}}}, false});  // it was executed after all
  EXPECT_EQ(world_.all<Executed>().size(), 1u);
}

TEST_F(FencedOutboxTest, a_row_that_an_edit_has_moved_costs_one_reading_of_what_is_due) {
  start({created(1, kA, 3), created(2, kB, 3)});
  lead();
  const reference::Due due{{segment(kA, 3), segment(kB, 3)}, false, 2, std::nullopt};
  answer<reference::ReadDue>(due);
  answer<reference::ReadOutbox>(reference::Outbox{});
  wake_until_commit();
  answer<reference::CommitFires>(
      reference::Committed{{reference::RowResult::moved, reference::RowResult::covered}});
  EXPECT_EQ(world_.all<Executed>().size(), 1u) << "what is covered is begun";
  wake();
  answer<reference::ReadDue>(due);
  EXPECT_FALSE(waits<reference::ReadOutbox>()) << "it knows what is there";
}

// The commit may be executed after all that was read, and what it fired goes first.
TEST_F(FencedOutboxTest, a_row_that_moved_after_a_lost_commit_leaves_the_whole_batch_to_the_outbox) {
  start({created(1, kA, 3), created(2, kB, 3)});
  lead();
  const reference::Due due{{segment(kA, 3), segment(kB, 3)}, false, 2, std::nullopt};
  answer<reference::ReadDue>(due);
  answer<reference::ReadOutbox>(reference::Outbox{});
  wake_until_commit();
  world_.advance(Duration::seconds(3));
  step(world_.unknown(waiting<reference::CommitFires>()));
  while (!waits<reference::ReadDue>()) wake();
  answer<reference::ReadDue>(due);
  answer<reference::ReadOutbox>(reference::Outbox{});
  wake_until_commit();
  answer<reference::CommitFires>(
      reference::Committed{{reference::RowResult::moved, reference::RowResult::covered}});
  EXPECT_TRUE(world_.all<Executed>().empty());
  wake();
  answer<reference::ReadDue>(due);
  EXPECT_TRUE(waits<reference::ReadOutbox>());
}

// Else a run that somebody asked for would wait for poll_period.
TEST_F(FencedOutboxTest, a_leader_looks_for_events_that_clients_added_as_soon_as_it_is_told) {
  lead_with_a();
  for (const ChangeNotified& of_others :
       {ChangeNotified{StoreId{0}, {Notification::What::events_added, ResourceId{99}}},
        ChangeNotified{StoreId{1}, {Notification::What::events_added, kResource}}}) {
    step(of_others);
    EXPECT_FALSE(waits<reference::ReadOutbox>());
  }
  const ChangeNotified added{StoreId{0}, {Notification::What::events_added, kResource}};
  step(added);
  EXPECT_EQ(world_.only_request<reference::ReadOutbox>().request.after, 0u);
  step(added);  // what is added now may not be in the answer
  answer<reference::ReadOutbox>(reference::Outbox{{{7, {kA, slot(2), 5}}}, false});
  EXPECT_EQ(world_.all<Executed>().size(), 1u);
  answer<reference::ReadOutbox>(reference::Outbox{});
  EXPECT_FALSE(waits<reference::ReadOutbox>()) << "told twice, looked twice";
}

TEST_F(FencedOutboxTest, a_look_for_events_that_fails_is_repeated_soon) {
  lead_with_a(1'000);
  step(ChangeNotified{StoreId{0}, {Notification::What::events_added, kResource}});
  const MonoTime failed = world_.now();
  step(world_.unknown(waiting<reference::ReadOutbox>()));
  while (!waits<reference::ReadOutbox>()) waits<reference::ChangesSince>() ? answer_poll() : wake();
  EXPECT_LE(world_.now() - failed, Duration::millis(200)) << "retry_period, not poll_period";
}

TEST_F(FencedOutboxTest, a_standby_leaves_events_that_clients_added_to_the_leader) {
  start({created(1, kA, 10)});
  world_.take();
  step(ChangeNotified{StoreId{0}, {Notification::What::events_added, kResource}});
  EXPECT_TRUE(world_.outstanding().empty());
}

TEST_F(FencedOutboxTest, a_row_that_was_not_due_is_committed_again_a_moment_later) {
  lead_with_a(3);
  wake_until_commit();
  answer<reference::CommitFires>(reference::Committed{{reference::RowResult::not_due}});
  EXPECT_TRUE(world_.outstanding().empty());
  const MonoTime before = world_.now();
  wake();
  EXPECT_LE(world_.now(), before + Duration::millis(5));
  const auto commit = world_.only_request<reference::CommitFires>();
  EXPECT_EQ(commit.request.rows.at(0).slot, slot(3));
}

TEST_F(FencedOutboxTest, a_refused_commit_waits_for_the_election_to_find_out) {
  lead_with_a(3);
  wake_until_commit();
  answer<reference::CommitFires>(reference::CommitRefused{reference::Denial::expired, false});
  const MonoTime refused = world_.now();
  while (world_.now() < refused + Duration::millis(4'900)) {
    for (const auto& [id, asked] : world_.outstanding()) EXPECT_FALSE(asked.submission.as_leader);
    if (waits<reference::ChangesSince>()) answer_poll();
    wake();
  }
}

TEST_F(FencedOutboxTest, takes_in_an_edit_without_reading_everything_again) {
  lead_with_a(100);
  world_.take();
  step(ChangeNotified{StoreId{0}, {Notification::What::schedules_changed, kResource}});
  reference::Change edit = created(2, kA, 3, 2);
  edit.segment.begin = edit.segment.cursor = store_now();
  answer_poll({edit});
  wake_until_commit();
  const auto commit = world_.only_request<reference::CommitFires>();
  EXPECT_EQ(commit.request.rows.at(0).version, 2u);
  EXPECT_EQ(commit.request.rows.at(0).slot, slot(3));
}

TEST_F(FencedOutboxTest, a_deleted_schedule_fires_no_more) {
  lead_with_a(3);
  step(ChangeNotified{StoreId{0}, {Notification::What::schedules_changed, kResource}});
  reference::Change gone = created(2, kA, 3);
  gone.deleted = true;
  answer_poll({gone});
  pass_time_until(slot(25));
  EXPECT_FALSE(waits<reference::CommitFires>());
}

TEST_F(FencedOutboxTest, reads_ahead_before_what_it_has_read_runs_out) {
  lead_with_a(100);
  const StoreTime horizon = store_now() + Duration::seconds(60);
  pass_time([this] { return waits<reference::ReadDue>(); });
  EXPECT_LE(store_now(), horizon - Duration::seconds(14));
  EXPECT_GT(world_.requests<reference::ReadDue>().front().request.horizon, horizon + Duration::seconds(40));
}

TEST_F(FencedOutboxTest, splits_what_is_due_at_once_into_batches) {
  std::vector<reference::Change> changes;
  std::vector<reference::Segment> segments;
  for (std::uint32_t i = 1; i <= 1'200; ++i) {
    changes.push_back(created(i, ScheduleId{i}, 1));
    segments.push_back(segment(ScheduleId{i}, 1));
  }
  start(changes);
  lead();
  answer<reference::ReadDue>(reference::Due{segments, false, 1'200, std::nullopt});
  answer<reference::ReadOutbox>(reference::Outbox{});
  wake_until_commit();
  for (const std::size_t size : {500u, 500u, 200u}) {
    EXPECT_EQ(world_.only_request<reference::CommitFires>().request.rows.size(), size);
    answer<reference::CommitFires>(reference::Committed{std::vector(size, reference::RowResult::covered)});
    EXPECT_EQ(world_.all<Executed>().size(), size);
  }
}

// ---- copies ------------------------------------------------------------------------------------------------

TEST_F(FencedOutboxTest, a_copy_goes_on_as_the_original_would) {
  lead_with_a(3);
  wake_until_commit();
  const Canon canon{world_.now(), world_.wall_now()};
  const auto hash_of = [&canon](const Scheduler& scheduler) {
    Hasher hasher;
    scheduler.hash(hasher, canon);
    return hasher.value();
  };
  auto copy = scheduler_->clone();
  EXPECT_EQ(hash_of(*copy), hash_of(*scheduler_));
  const std::uint64_t before = hash_of(*scheduler_);
  commit_covered();
  EXPECT_NE(hash_of(*scheduler_), before);
  EXPECT_EQ(hash_of(*copy), before);
}

}  // namespace
}  // namespace tenure::testing
