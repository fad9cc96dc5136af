#include <gtest/gtest.h>

#include "tests/core/store/reference_fixture.h"

namespace tenure::reference::reference_edit_tests {
namespace {

const Duration kTen = Duration::seconds(10);

bool operator==(const Segment& a, const Segment& b) {
  return a.schedule == b.schedule && a.version == b.version && a.begin == b.begin && a.end == b.end &&
         a.cursor == b.cursor;
}

TEST(ReferenceEdit, begins_a_version_where_its_predecessor_ends) {
  ReferenceFixture reference;
  const auto created = reference.put(1, 0, every(kTen));
  EXPECT_EQ(created.version, 1U);
  EXPECT_EQ(created.change_seq, 1U);
  EXPECT_EQ(created.since, at(1'000));
  reference.now = at(1'025);
  const auto edited = reference.put(1, 1, every(Duration::seconds(7)));
  EXPECT_EQ(edited.version, 2U);
  EXPECT_EQ(edited.change_seq, 2U);
  EXPECT_EQ(edited.since, at(1'025));

  const auto due = reference.due(StoreTime::max());
  ASSERT_EQ(due.segments.size(), 2U);
  EXPECT_TRUE(due.segments[0] == (Segment{{1}, 1, at(1'000), at(1'025), at(1'000)}));
  // The cursor is at the version's first slot.
  EXPECT_TRUE(due.segments[1] == (Segment{{1}, 2, at(1'025), StoreTime::max(), at(1'029)}));
  EXPECT_EQ(due.change_seq, 2U);
}

TEST(ReferenceEdit, a_schedule_is_not_due_before_its_first_slot_is) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen, at(90'000)));
  EXPECT_TRUE(reference.due(at(90'000)).segments.empty());
  EXPECT_EQ(reference.due(at(90'001)).segments.size(), 1U);
  EXPECT_EQ(reference.changes().changes.at(0).segment.cursor, at(90'000));
}

TEST(ReferenceEdit, tells_subscribers_of_each_edit_once) {
  ReferenceFixture reference;
  const Notification hint{Notification::What::schedules_changed, kResource};
  reference.put(1, 0, every(kTen));
  reference.put(1, 0, every(kTen));  // a repetition
  EXPECT_EQ(reference.heard, std::vector{hint});
  reference.put(1, 1, every(kTen));
  reference.remove(1, 2);
  EXPECT_EQ(reference.heard.size(), 3U);
}

TEST(ReferenceEdit, answers_a_repetition_alike_and_changes_nothing) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen));
  const auto edited = reference.put(1, 1, every(Duration::seconds(7)));
  reference.now += kTen;
  const std::uint64_t before = reference.hash();
  const auto again = reference.put(1, 1, every(Duration::seconds(7)));
  EXPECT_EQ(again.version, edited.version);
  EXPECT_EQ(again.change_seq, edited.change_seq);
  EXPECT_EQ(again.since, edited.since);
  EXPECT_EQ(reference.hash(), before);

  const auto removed = reference.remove(1, 2);
  reference.now += kTen;
  const std::uint64_t deleted = reference.hash();
  const auto removed_again = reference.remove(1, 2);
  EXPECT_EQ(removed_again.change_seq, removed.change_seq);
  EXPECT_EQ(removed_again.since, removed.since);
  EXPECT_EQ(reference.hash(), deleted);
}

TEST(ReferenceEdit, refuses_what_expects_another_version) {
  ReferenceFixture reference;
  EXPECT_EQ(reference.expect<EditRefused>(PutSchedule{kResource, {1}, 1, every(kTen)}).why,
            EditDenial::no_such_schedule);
  EXPECT_EQ(reference.expect<EditRefused>(DeleteSchedule{kResource, {1}, 0}).why,
            EditDenial::no_such_schedule);
  reference.put(1, 0, every(kTen));
  reference.put(1, 1, every(kTen));
  const std::uint64_t before = reference.hash();
  for (const std::uint32_t expected : {0U, 1U, 3U}) {
    const auto refused =
        reference.expect<EditRefused>(PutSchedule{kResource, {1}, expected, every(Duration::hours(1))});
    EXPECT_EQ(refused.why, EditDenial::version_conflict);
    EXPECT_EQ(refused.version, 2U);
    EXPECT_EQ(reference.expect<EditRefused>(DeleteSchedule{kResource, {1}, expected}).why,
              EditDenial::version_conflict);
  }
  EXPECT_EQ(reference.hash(), before);
}

TEST(ReferenceEdit, never_uses_a_deleted_id_again) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen));
  reference.remove(1, 1);
  for (const std::uint32_t expected : {0U, 1U, 2U}) {
    const auto refused = reference.expect<EditRefused>(PutSchedule{kResource, {1}, expected, every(kTen)});
    EXPECT_EQ(refused.why, EditDenial::deleted);
    EXPECT_EQ(refused.version, 1U);
  }
  EXPECT_EQ(reference.expect<EditRefused>(DeleteSchedule{kResource, {1}, 0}).why, EditDenial::deleted);
  EXPECT_EQ(reference.expect<EditRefused>(TriggerSchedule{kResource, {1}, 5, at(1'000)}).why,
            EditDenial::deleted);
}

TEST(ReferenceEdit, records_what_every_segment_still_owed_as_deleted) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen));
  reference.now = at(1'015);
  reference.put(1, 1, every(Duration::seconds(3)));
  reference.now = at(1'020);
  const auto removed = reference.remove(1, 2);
  EXPECT_EQ(removed.version, 2U);
  EXPECT_EQ(removed.since, at(1'020));
  EXPECT_TRUE(reference.due(StoreTime::max()).segments.empty());
  const Ledger ledger = reference.ledger();
  EXPECT_TRUE(ledger.watermarks.empty());
  ASSERT_EQ(ledger.exceptions.size(), 2U);
  for (const LedgerRow& row : ledger.exceptions) EXPECT_EQ(row.what, Disposition::deleted);
  EXPECT_EQ(ledger.exceptions[0].from, at(1'000));
  EXPECT_EQ(ledger.exceptions[0].to, at(1'015));
  EXPECT_EQ(ledger.exceptions[1].from, at(1'017));
  EXPECT_EQ(ledger.exceptions[1].to, at(1'020));
}

TEST(ReferenceEdit, records_nothing_for_a_delete_that_suppresses_no_slot) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen, at(2'000)));
  reference.now = at(1'500);
  reference.remove(1, 1);
  EXPECT_TRUE(reference.ledger().exceptions.empty());
}

// A slot is due under version 1, and an edit commits before the leader does. The slot stays with version 1, whose
// closed segment waits for the leader; a check of the version in force would lose it.
TEST(ReferenceEdit, leaves_a_slot_that_was_due_with_the_version_it_was_due_under) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1), Duration::hours(1));
  reference.put(1, 0, every(kTen));
  reference.now = at(1'000) + Duration::millis(500);
  reference.put(1, 1, every(kTen, at(1'005)));

  EXPECT_EQ(reference.cover(node(1), token, fired(1, 1, at(1'000), at(1'010))), RowResult::moved);
  EXPECT_TRUE(reference.outbox().events.empty());
  const auto due = reference.due(reference.now);
  ASSERT_EQ(due.segments.size(), 1U);
  EXPECT_EQ(due.segments[0].end, reference.now);
  EXPECT_EQ(reference.cover(node(1), token, fired(1, 1, at(1'000), due.segments[0].end)), RowResult::covered);
  ASSERT_EQ(reference.outbox().events.size(), 1U);
  EXPECT_EQ(reference.outbox().events[0].id, (EventId{.schedule = {1}, .slot = at(1'000)}));

  const Ledger ledger = reference.ledger();
  ASSERT_EQ(ledger.watermarks.size(), 1U) << "version 1 is drained and forgotten";
  EXPECT_EQ(ledger.watermarks[0].version, 2U);
}

TEST(ReferenceEdit, forgets_a_segment_at_once_that_is_closed_with_no_slot_left) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1), Duration::hours(1));
  reference.put(1, 0, every(kTen));
  reference.cover(node(1), token, fired(1, 1, at(1'000), at(1'010)));
  reference.put(2, 0, every(kTen, at(5'000)));
  reference.now = at(1'009);
  reference.put(1, 1, every(kTen));
  reference.put(2, 1, every(kTen));
  for (const Segment& segment : reference.ledger().watermarks) EXPECT_EQ(segment.version, 2U);
}

TEST(ReferenceEdit, does_not_cut_into_what_was_fired_in_the_same_microsecond) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1), Duration::hours(1));
  reference.put(1, 0, every(kTen));
  reference.cover(node(1), token, fired(1, 1, at(1'000), at(1'010)));
  EXPECT_EQ(reference.put(1, 1, every(kTen)).since, at(1'000) + kMicro);
}

TEST(ReferenceEdit, does_not_cut_into_what_was_covered_before_the_clock_went_back) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1), Duration::hours(9));
  reference.put(1, 0, every(kTen));
  reference.put(2, 0, every(kTen));
  reference.put(3, 0, every(kTen));
  reference.now = at(1'025);
  reference.commit(node(1), token,
                   {fired(1, 1, at(1'000), at(1'010)), fired(1, 1, at(1'010), at(1'020)),
                    range(2, 1, at(1'000), at(1'022), Disposition::missed)});
  reference.now = at(500);
  EXPECT_EQ(reference.put(1, 1, every(kTen)).since, at(1'010) + kMicro);
  EXPECT_EQ(reference.put(2, 1, every(kTen)).since, at(1'022));
  EXPECT_EQ(reference.put(3, 1, every(kTen)).since, at(500)) << "nothing of it was covered";
  EXPECT_EQ(reference.put(1, 2, every(kTen)).since, at(1'010) + kMicro);
  EXPECT_EQ(reference.remove(2, 2).since, at(1'022));
}

TEST(ReferenceTrigger, puts_a_run_into_the_outbox_once) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen));
  const auto edited = reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(1'000)});
  EXPECT_EQ(edited.version, 1U);
  reference.now += Duration::seconds(1);
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(1'000)});
  ASSERT_EQ(reference.outbox().events.size(), 1U);
  const EventId id{.schedule = {1}, .slot = at(1'000), .run = 5};
  EXPECT_EQ(reference.outbox().events[0].id, id);
  reference.expect<Acknowledged>(AckEvents{kResource, {{id}}});
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(1'000)});
  EXPECT_TRUE(reference.outbox().events.empty()) << "delivered already";
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 6, at(1'000)});
  EXPECT_EQ(reference.outbox().events.size(), 1U);
}

// The client has asked, the answer and the commit are lost, and it asks the surviving branch.
TEST(ReferenceTrigger, is_the_same_event_when_it_is_asked_for_again_after_its_commit_was_lost) {
  const TriggerSchedule trigger{kResource, {1}, 5, at(1'000)};
  ReferenceFixture lost;
  lost.put(1, 0, every(kTen));
  ReferenceFixture left;
  left.put(1, 0, every(kTen));
  lost.expect<Edited>(trigger);
  left.now = at(1'030);
  left.expect<Edited>(trigger);
  EXPECT_EQ(lost.outbox().events.at(0).id, left.outbox().events.at(0).id);
}

TEST(ReferenceTrigger, is_no_sooner_or_later_by_the_clock_of_who_asks) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen));
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(9'000)});
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 6, at(1)});
  EXPECT_EQ(reference.outbox().events.size(), 2U);
}

TEST(ReferenceTrigger, covers_no_slot) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.put(1, 0, every(kTen));
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(1'000)});
  EXPECT_EQ(reference.cover(node(1), token, fired(1, 1, at(1'000), at(1'010))), RowResult::covered);
  EXPECT_EQ(reference.outbox().events.size(), 2U);
}

TEST(ReferenceTrigger, needs_a_schedule) {
  ReferenceFixture reference;
  EXPECT_EQ(reference.expect<EditRefused>(TriggerSchedule{kResource, {1}, 5, at(1'000)}).why,
            EditDenial::no_such_schedule);
}

TEST(ReferenceChanges, are_told_in_commit_order_from_any_number_on) {
  ReferenceFixture reference;
  reference.put(2, 0, every(kTen));
  reference.put(1, 0, every(kTen));
  reference.put(2, 1, every(Duration::seconds(7)));
  reference.remove(1, 1);
  const auto all = reference.changes();
  ASSERT_EQ(all.changes.size(), 4U);
  EXPECT_EQ(all.seq, 4U);
  EXPECT_FALSE(all.more);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(all.changes[i].seq, i + 1);
  EXPECT_EQ(all.changes[0].segment.schedule, ScheduleId{2});
  EXPECT_EQ(all.changes[0].segment.end, StoreTime::max()) << "as it began";
  EXPECT_EQ(all.changes[2].definition, every(Duration::seconds(7)));
  EXPECT_EQ(all.changes[2].segment.version, 2U);
  EXPECT_TRUE(all.changes[3].deleted);

  const auto page = reference.changes(1, 2);
  ASSERT_EQ(page.changes.size(), 2U);
  EXPECT_EQ(page.changes[0].seq, 2U);
  EXPECT_EQ(page.seq, 3U);
  EXPECT_TRUE(page.more);
  const auto none = reference.changes(4);
  EXPECT_TRUE(none.changes.empty());
  EXPECT_EQ(none.seq, 4U);
}

TEST(ReferencePrune, forgets_what_is_drained_and_long_ended_and_keeps_what_is_in_force) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1), Duration::hours(9));
  reference.put(1, 0, every(kTen));  // to be closed and drained
  reference.put(2, 0, every(kTen));  // to be closed, not drained
  reference.put(3, 0, every(kTen));  // to stay in force
  reference.now = at(1'015);
  reference.commit(
      node(1), token,
      {range(1, 1, at(1'000), at(1'010), Disposition::missed), fired(3, 1, at(1'000), at(1'010))});
  reference.commit(node(1), token, {fired(1, 1, at(1'010), at(1'015))});
  reference.put(1, 1, every(kTen));
  reference.now = at(1'020);
  EXPECT_EQ(reference.cover(node(1), token, range(1, 2, at(1'020), at(1'020) + kMicro, Disposition::missed)),
            RowResult::covered);
  reference.put(2, 1, every(kTen));

  reference.now = at(9'000);
  EXPECT_EQ(reference.expect<Pruned>(Prune{kResource, at(1'009)}).rows, 0U);
  EXPECT_EQ(reference.expect<Pruned>(Prune{kResource, at(1'015)}).rows, 2U)
      << "a ledger row, and version 1's change";
  EXPECT_EQ(reference.ledger().exceptions.size(), 1U);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> kept;
  for (const Change& change : reference.changes().changes) {
    kept.emplace_back(change.segment.schedule.value, change.segment.version);
  }
  EXPECT_EQ(kept, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{2, 1}, {3, 1}, {1, 2}, {2, 2}}));
}

TEST(ReferencePrune, forgets_what_ended_first_up_to_its_limit) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1), Duration::hours(9));
  for (const std::uint32_t schedule : {1u, 2u, 3u}) reference.put(schedule, 0, every(kTen));
  reference.now = at(1'040);
  reference.commit(node(1), token, {range(1, 1, at(1'000), at(1'030), Disposition::missed)});
  reference.commit(node(1), token, {range(2, 1, at(1'000), at(1'010), Disposition::missed)});
  reference.commit(node(1), token, {range(3, 1, at(1'000), at(1'020), Disposition::missed)});
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 6, at(1'000)});
  reference.now = at(1'050);
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(1'000)});
  reference.now = at(9'000);
  EXPECT_EQ(reference.expect<Pruned>(Prune{kResource, reference.now, 0}).rows, 0U);
  EXPECT_EQ(reference.expect<Pruned>(Prune{kResource, reference.now, 2}).rows, 2U);
  ASSERT_EQ(reference.ledger().exceptions.size(), 1U);
  EXPECT_EQ(reference.ledger().exceptions[0].schedule, ScheduleId{1});
  EXPECT_EQ(reference.expect<Pruned>(Prune{kResource, reference.now, 2}).rows, 2U)
      << "a row and the older run";
  EXPECT_EQ(reference.outbox().events.size(), 2U);
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(1'000)});
  EXPECT_EQ(reference.outbox().events.size(), 2U) << "it is still known";
  EXPECT_EQ(reference.expect<Pruned>(Prune{kResource, reference.now, 2}).rows, 1U);
}

TEST(ReferencePrune, keeps_the_newest_change_so_that_followers_can_catch_up_with_its_number) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen));
  reference.now = at(1'001);
  reference.remove(1, 1);
  reference.now = at(9'000);
  EXPECT_EQ(reference.expect<Pruned>(Prune{kResource, reference.now}).rows, 2U)
      << "the deleted slot, and version 1";
  const auto changes = reference.changes();
  ASSERT_EQ(changes.changes.size(), 1U);
  EXPECT_EQ(changes.seq, reference.due(StoreTime::max()).change_seq);
  EXPECT_EQ(reference.expect<EditRefused>(PutSchedule{kResource, {1}, 0, every(kTen)}).why,
            EditDenial::deleted);
}

TEST(ReferencePrune, forgets_manual_runs_but_not_events_that_wait) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen));
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(1'000)});
  reference.now = at(1'001);
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 6, at(1'000)});
  EXPECT_EQ(reference.expect<Pruned>(Prune{kResource, at(1'001)}).rows, 1U);
  EXPECT_EQ(reference.outbox().events.size(), 2U);
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 6, at(1'000)});
  EXPECT_EQ(reference.outbox().events.size(), 2U);
}

// An hour ahead, an edit; the clock goes back. What was edited is in force when the store finds out, not in an hour.
struct FalseFuture : ReferenceFixture {
  FalseFuture() {
    token = lead(node(1), Duration::hours(9));
    put(1, 0, every(kTen));
    put(2, 0, every(kTen));
    now = at(1'010);
    commit(node(1), token, {fired(1, 1, at(1'000), at(1'010)), fired(2, 1, at(1'000), at(1'010))});
    now = at(4'615);
    EXPECT_EQ(put(1, 1, every(Duration::seconds(7))).since, at(4'615));
    put(3, 0, every(kTen));
    now = at(1'025);
  }
  Segment watermark(std::uint32_t schedule, std::uint32_t version) const {
    for (const Segment& segment : ledger().watermarks)
      if (segment.schedule == ScheduleId{schedule} && segment.version == version) return segment;
    ADD_FAILURE() << "no such segment";
    return {};
  }
  Token token;
};

TEST(ReferenceEdit, an_edit_of_a_false_future_gives_way_to_the_next_one) {
  FalseFuture reference;
  EXPECT_EQ(reference.put(1, 2, every(kTen)).since, at(1'025));
  EXPECT_EQ(reference.watermark(1, 1).end, at(1'025));
  EXPECT_EQ(reference.ledger().watermarks.size(), 4u) << "the version between was never in force";
  EXPECT_EQ(reference.remove(1, 3).since, at(1'025));
}

TEST(ReferenceEdit, edits_of_a_false_future_are_drawn_back_when_the_hold_is_cleared) {
  FalseFuture reference;
  reference.expect<HoldSet>(ClearHold{kResource, node(1), reference.token});
  EXPECT_EQ(reference.watermark(1, 1).end, at(1'025));
  EXPECT_EQ(reference.watermark(1, 2).begin, at(1'025));
  EXPECT_EQ(reference.watermark(1, 2).cursor, at(1'025));
  EXPECT_EQ(reference.watermark(3, 1).begin, at(1'025));
  EXPECT_EQ(reference.watermark(2, 1).begin, at(1'000)) << "nothing was wrong with it";
  EXPECT_EQ(reference.put(1, 1, every(Duration::seconds(7))).since, at(1'025)) << "the same edit again";
}

TEST(ReferenceEdit, nothing_is_drawn_back_into_what_was_covered) {
  FalseFuture reference;
  reference.now = at(4'616);
  // The hour was caught up with before the clock went back, and the version before is drained.
  reference.cover(node(1), reference.token, range(1, 1, at(1'010), at(4'615), Disposition::missed));
  reference.now = at(1'025);
  reference.expect<HoldSet>(ClearHold{kResource, node(1), reference.token});
  EXPECT_EQ(reference.watermark(1, 2).begin, at(4'615));
  EXPECT_EQ(reference.put(1, 2, every(kTen)).since, at(4'615));
}

TEST(ReferenceEdit, a_backfill_puts_one_event_for_each_slot_into_the_outbox_and_covers_nothing) {
  ReferenceFixture reference;
  reference.put(1, 0, every(Duration::seconds(10), at(1'000)));
  reference.now = at(1'100);
  const auto before = reference.ledger().watermarks;
  const BackfillSchedule asked{kResource, {1}, 9, {at(500), at(510)}};
  reference.expect<Edited>(asked);
  reference.expect<Edited>(asked);  // the same run again is the same run
  const auto events = reference.outbox().events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].id, (EventId{{1}, at(500), 9}));
  EXPECT_EQ(events[1].id, (EventId{{1}, at(510), 9}));
  EXPECT_EQ(reference.ledger().watermarks.size(), before.size());
  EXPECT_EQ(reference.ledger().watermarks[0].cursor, before[0].cursor);
}

TEST(ReferenceEdit, a_backfill_is_of_slots_that_have_come) {
  ReferenceFixture reference;
  reference.put(1, 0, every(Duration::seconds(10), at(1'000)));
  reference.now = at(1'100);
  const auto refused =
      reference.expect<EditRefused>(BackfillSchedule{kResource, {1}, 9, {at(1'100), at(1'110)}});
  EXPECT_EQ(refused.why, EditDenial::in_future);
  EXPECT_TRUE(reference.outbox().events.empty());
  reference.expect<Edited>(BackfillSchedule{kResource, {1}, 9, {at(1'100)}});
}

TEST(ReferenceTrigger, is_refused_when_its_run_was_asked_for_with_another_digest) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen));
  reference.put(2, 0, every(kTen));
  const TriggerSchedule asked{kResource, {1}, 5, at(900), 7};
  reference.expect<Edited>(asked);
  for (const std::uint64_t another : {std::uint64_t{8}, UINT64_MAX}) {
    const TriggerSchedule other{kResource, {1}, 5, at(900), another};
    EXPECT_EQ(reference.expect<EditRefused>(other).why, EditDenial::other_request);
    const BackfillSchedule filling{kResource, {1}, 5, {at(500)}, at(900), another};
    EXPECT_EQ(reference.expect<EditRefused>(filling).why, EditDenial::other_request);
  }
  reference.expect<Edited>(asked);
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(900)});  // it does not say
  EXPECT_EQ(reference.outbox().events.size(), 1U);
  // The same number of another schedule is another run.
  reference.expect<Edited>(TriggerSchedule{kResource, {2}, 5, at(900), 8});
  EXPECT_EQ(reference.outbox().events.size(), 2U);
}

TEST(ReferenceTrigger, a_run_without_a_digest_is_the_same_whatever_a_repetition_says) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen));
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(900)});
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(900), 7});
  reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(900), 8});
  EXPECT_EQ(reference.outbox().events.size(), 1U);
}

TEST(ReferenceTrigger, a_repetition_is_told_when_its_run_was_first_asked_for) {
  ReferenceFixture reference;
  reference.put(1, 0, every(kTen));
  EXPECT_FALSE(reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(900)}).first_at);
  EXPECT_FALSE(reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(900)}).first_at);
  EXPECT_EQ(reference.expect<Edited>(TriggerSchedule{kResource, {1}, 5, at(950)}).first_at, at(900));
  EXPECT_FALSE(reference.expect<Edited>(BackfillSchedule{kResource, {1}, 6, {at(500)}, at(900)}).first_at);
  EXPECT_EQ(reference.expect<Edited>(BackfillSchedule{kResource, {1}, 6, {at(500)}, at(990)}).first_at,
            at(900));
  ASSERT_EQ(reference.outbox().events.size(), 2U);
  EXPECT_EQ(reference.outbox().events[0].id, (EventId{{1}, at(900), 5}));
}

TEST(ReferenceEdit, nothing_is_filled_in_for_a_schedule_that_is_not_there) {
  ReferenceFixture reference;
  const BackfillSchedule asked{kResource, {1}, 9, {at(500)}};
  EXPECT_EQ(reference.expect<EditRefused>(asked).why, EditDenial::no_such_schedule);
  reference.put(1, 0, every(Duration::seconds(10), at(1'000)));
  reference.remove(1, 1);
  EXPECT_EQ(reference.expect<EditRefused>(asked).why, EditDenial::deleted);
}

}  // namespace
}  // namespace tenure::reference::reference_edit_tests
