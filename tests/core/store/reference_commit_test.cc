#include <gtest/gtest.h>

#include <stdexcept>

#include "core/base/check.h"
#include "tests/core/store/reference_fixture.h"

namespace tenure::reference {
namespace {

const Duration kTen = Duration::seconds(10);

// A leader for hours, and schedules 1 and 2 that are due every ten seconds from 1000 s on.
struct Led : ReferenceFixture {
  Led() {
    put(1, 0, every(kTen));
    put(2, 0, every(kTen));
    token = lead(kLeader, Duration::hours(9));
  }
  RowResult cover(const LedgerRow& row) { return ReferenceFixture::cover(kLeader, token, row); }
  std::vector<RowResult> commit(std::vector<LedgerRow> rows) {
    return ReferenceFixture::commit(kLeader, token, std::move(rows));
  }
  StoreTime cursor(std::uint32_t schedule) const {
    for (const Segment& segment : ledger().watermarks) {
      if (segment.schedule.value == schedule) return segment.cursor;
    }
    return StoreTime::max();
  }
  Token token;
};

TEST(ReferenceCommit, fires_a_slot_advances_the_cursor_and_writes_an_event) {
  Led reference;
  EXPECT_EQ(reference.cover(fired(1, 1, at(1'000), at(1'010))), RowResult::covered);
  EXPECT_EQ(reference.cursor(1), at(1'010));
  EXPECT_EQ(reference.cursor(2), at(1'000));
  ASSERT_EQ(reference.outbox().events.size(), 1U);
  EXPECT_EQ(reference.outbox().events[0].seq, 1U);
  EXPECT_EQ(reference.outbox().events[0].id, (EventId{.schedule = {1}, .slot = at(1'000), .run = 0}));
  EXPECT_TRUE(reference.ledger().exceptions.empty()) << "the watermark speaks for fires";
}

TEST(ReferenceCommit, fires_a_slot_once) {
  Led reference;
  EXPECT_EQ(reference.cover(fired(1, 1, at(1'000), at(1'010))), RowResult::covered);
  const std::uint64_t before = reference.hash();
  EXPECT_EQ(reference.cover(fired(1, 1, at(1'000), at(1'010))), RowResult::moved);
  EXPECT_EQ(reference.hash(), before);
}

TEST(ReferenceCommit, fires_at_the_slot_and_not_a_microsecond_before) {
  Led reference;
  reference.now = at(1'000) - kMicro;
  EXPECT_EQ(reference.cover(fired(1, 1, at(1'000), at(1'010))), RowResult::not_due);
  reference.now = at(1'000);
  EXPECT_EQ(reference.cover(fired(1, 1, at(1'000), at(1'010))), RowResult::covered);
}

TEST(ReferenceCommit, covers_a_range_up_to_now_and_not_a_microsecond_further) {
  Led reference;
  reference.now = at(1'035);
  EXPECT_EQ(reference.cover(range(1, 1, at(1'000), at(1'035) + kMicro + kMicro, Disposition::missed)),
            RowResult::not_due);
  EXPECT_EQ(reference.cover(range(1, 1, at(1'000), at(1'035) + kMicro, Disposition::missed)),
            RowResult::covered);
  EXPECT_TRUE(reference.outbox().events.empty());
}

TEST(ReferenceCommit, says_of_each_row_what_became_of_it) {
  Led reference;
  reference.now = at(1'015);
  const auto results = reference.commit({fired(1, 1, at(1'000), at(1'010)), fired(1, 1, at(1'010), at(1'020)),
                                         fired(1, 1, at(1'020), at(1'030)), fired(2, 1, at(1'010), at(1'020)),
                                         fired(2, 1, at(1'000), at(1'010)), fired(2, 2, at(1'000), at(1'010)),
                                         fired(3, 1, at(1'000), at(1'010))});
  EXPECT_EQ(results,
            (std::vector{RowResult::covered, RowResult::covered, RowResult::not_due, RowResult::moved,
                         RowResult::covered, RowResult::no_segment, RowResult::no_segment}));
  const auto events = reference.outbox().events;
  ASSERT_EQ(events.size(), 3U);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(events[i].seq, i + 1);
  EXPECT_EQ(events[1].id.slot, at(1'010));
  EXPECT_EQ(events[2].id.schedule, ScheduleId{2});
}

TEST(ReferenceCommit, writes_nothing_of_a_chain_after_a_row_that_was_not_covered) {
  Led reference;
  reference.now = at(1'015);
  const auto results = reference.commit({range(1, 1, at(1'000), at(1'016), Disposition::missed),
                                         range(1, 1, at(1'016), at(1'017), Disposition::missed),
                                         fired(1, 1, at(1'000), at(1'010))});
  EXPECT_EQ(results, (std::vector{RowResult::not_due, RowResult::moved, RowResult::covered}));
}

TEST(ReferenceCommit, coalesces_late_slots_into_the_one_that_fires) {
  Led reference;
  reference.now = at(1'035);
  const LedgerRow row = fired_for(1, 1, at(1'000), at(1'030) + kMicro, at(1'020), 4);
  EXPECT_EQ(reference.commit({row}), std::vector{RowResult::covered});
  const auto events = reference.outbox().events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].id.slot, at(1'020));
  const auto rows = reference.ledger().exceptions;
  ASSERT_EQ(rows.size(), 2U);
  for (const LedgerRow& rest : rows) {
    EXPECT_EQ(rest.what, Disposition::coalesced);
    EXPECT_EQ(rest.slot, at(1'020));
  }
  EXPECT_EQ(rows[0].to, at(1'020));
  EXPECT_EQ(rows[1].from, at(1'020) + kMicro);
  EXPECT_EQ(rows[1].to, at(1'030) + kMicro);
}

// Two rows, one for what is coalesced and one for the fire, could be told apart by a segment's end at the slot
// that fires: the first was written, the second failed, and nothing was left of the slots in the first.
TEST(ReferenceCommit, a_fire_for_several_slots_is_written_as_a_whole_or_not_at_all) {
  Led reference;
  reference.now = at(1'030);
  reference.put(1, 1, every(Duration::seconds(7), at(1'000)));  // the version before ends at its slot 1'030
  reference.now = at(1'035);
  EXPECT_EQ(reference.commit({fired_for(1, 1, at(1'000), at(1'030) + kMicro, at(1'030), 4)}),
            std::vector{RowResult::moved});
  EXPECT_TRUE(reference.outbox().events.empty());
  EXPECT_TRUE(reference.ledger().exceptions.empty());
  EXPECT_EQ(reference.commit({fired_for(1, 1, at(1'000), at(1'020) + kMicro, at(1'020), 3)}),
            std::vector{RowResult::covered});
}

TEST(ReferenceCommit, a_fire_for_several_slots_is_due_when_the_last_of_them_has_come) {
  Led reference;
  reference.now = at(1'025);
  const LedgerRow row = fired_for(1, 1, at(1'000), at(1'030) + kMicro, at(1'000), 4);
  EXPECT_EQ(reference.commit({row}), std::vector{RowResult::not_due});
  reference.now = at(1'030);
  EXPECT_EQ(reference.commit({row}), std::vector{RowResult::covered});
}

TEST(ReferenceCommit, slots_are_not_given_up_before_they_are_due) {
  Led reference;
  reference.now = at(1'012);
  LedgerRow row = range(1, 1, at(1'000), at(1'010) + kMicro, Disposition::overlapped);
  row.due = at(1'013);
  EXPECT_EQ(reference.commit({row}), std::vector{RowResult::not_due});
  reference.now = at(1'013);
  EXPECT_EQ(reference.commit({row}), std::vector{RowResult::covered});
}

TEST(ReferenceCommit, a_fire_is_due_at_its_due_time_and_not_at_its_slot) {
  Led reference;
  reference.now = at(1'004);
  LedgerRow row = fired(1, 1, at(1'000), at(1'010));
  row.due = at(1'005);
  EXPECT_EQ(reference.commit({row}), std::vector{RowResult::not_due});
  reference.now = at(1'005);
  EXPECT_EQ(reference.commit({row}), std::vector{RowResult::covered});
}

TEST(ReferenceCommit, keeps_one_ledger_row_for_exceptions_that_adjoin_and_say_the_same) {
  Led reference;
  reference.now = at(1'100);
  reference.commit({range(1, 1, at(1'000), at(1'010), Disposition::paused),
                    range(2, 1, at(1'000), at(1'010), Disposition::missed),
                    range(1, 1, at(1'010), at(1'020), Disposition::paused),
                    range(1, 1, at(1'020), at(1'030), Disposition::missed),
                    range(1, 1, at(1'030), at(1'040), Disposition::overlapped),
                    range(1, 1, at(1'040), at(1'050), Disposition::overlapped),
                    fired_for(1, 1, at(1'050), at(1'060), at(1'050), 2)});
  const auto rows = reference.ledger().exceptions;
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].to, at(1'020));
  EXPECT_EQ(rows[1].to, at(1'030));
  EXPECT_EQ(rows[2].to, at(1'050));
  EXPECT_EQ(rows[3].from, at(1'050) + kMicro);
}

TEST(ReferenceCommit, covers_a_closed_segment_up_to_its_end_and_forgets_it) {
  Led reference;
  reference.now = at(1'025);
  reference.put(1, 1, every(kTen));
  EXPECT_EQ(reference.cover(range(1, 1, at(1'000), at(1'025) + kMicro, Disposition::missed)),
            RowResult::moved);
  EXPECT_EQ(reference.cover(range(1, 1, at(1'000), at(1'025), Disposition::missed)), RowResult::covered);
  EXPECT_EQ(reference.cover(range(1, 1, at(1'000), at(1'025), Disposition::missed)), RowResult::no_segment);
  EXPECT_EQ(reference.ledger().watermarks.size(), 2U);
}

TEST(ReferenceCommit, keeps_the_segment_in_force_though_its_slots_are_at_an_end) {
  Led reference;
  const StoreTime last = StoreTime::max() - kMicro;
  reference.put(3, 0, every(kTen, last));
  reference.now = last;
  reference.expect<CommitRefused>(CommitFires{kResource, kLeader, reference.token, {}});
  const Token token = reference.lead(kLeader);
  EXPECT_EQ(reference.ReferenceFixture::commit(kLeader, token, {fired(3, 1, last, StoreTime::max())}).front(),
            RowResult::covered);
  EXPECT_EQ(reference.put(3, 1, every(kTen)).version, 2U);
}

TEST(ReferenceCommit, refuses_rows_that_no_leader_may_write) {
  Led reference;
  CheckHandler const before = set_check_handler([](const CheckFailure&) { throw std::logic_error("check"); });
  EXPECT_THROW(reference.cover(range(1, 1, at(1'000), at(1'000), Disposition::missed)), std::logic_error);
  EXPECT_THROW(reference.cover(range(1, 1, at(1'000), at(1'001), Disposition::deleted)), std::logic_error);
  EXPECT_THROW(reference.cover(range(1, 1, at(1'000), at(1'001), Disposition::coalesced)), std::logic_error);
  LedgerRow early = fired(1, 1, at(1'000), at(1'010));
  early.due = at(999);
  EXPECT_THROW(reference.cover(early), std::logic_error);
  EXPECT_THROW(reference.cover(fired_for(1, 1, at(1'000), at(1'010), at(1'010), 1)), std::logic_error);
  EXPECT_THROW(reference.cover(fired_for(1, 1, at(1'000), at(1'010), at(990), 1)), std::logic_error);
  set_check_handler(before);
}

TEST(ReferenceHold, stops_firing_for_every_leader_until_it_is_cleared) {
  Led reference;
  const auto set =
      reference.expect<HoldSet>(SetHold{kResource, kLeader, reference.token, Duration::hours(1)});
  EXPECT_EQ(set.hold, (Hold{.since = at(1'000), .jump = Duration::hours(1)}));
  const CommitFires fire{kResource, kLeader, reference.token, {fired(1, 1, at(1'000), at(1'010))}};
  EXPECT_TRUE(reference.expect<CommitRefused>(fire).held);
  EXPECT_EQ(reference.due(StoreTime::max()).hold, set.hold);
  EXPECT_EQ(reference.changes().hold, set.hold);

  reference.expect<Released>(Release{kResource, kLeader, reference.token});
  const Token next = reference.lead(node(2));
  const CommitFires successor{kResource, node(2), next, {fired(1, 1, at(1'000), at(1'010))}};
  EXPECT_TRUE(reference.expect<CommitRefused>(successor).held) << "it outlives who set it";
  EXPECT_EQ(reference.expect<HoldSet>(ClearHold{kResource, node(2), next}).hold, std::nullopt);
  EXPECT_EQ(reference.expect<Committed>(successor).rows.front(), RowResult::covered);
}

TEST(ReferenceHold, is_set_and_cleared_only_with_the_token) {
  Led reference;
  const Token stale{.branch = 1, .epoch = 1, .nonce = 12'345};
  const std::uint64_t before = reference.hash();
  EXPECT_EQ(reference.expect<CommitRefused>(SetHold{kResource, kLeader, stale, kTen}).why,
            Denial::stale_token);
  EXPECT_EQ(reference.hash(), before);
  reference.expect<HoldSet>(SetHold{kResource, kLeader, reference.token, kTen});
  const std::uint64_t held = reference.hash();
  const auto refused = reference.expect<CommitRefused>(ClearHold{kResource, node(2), reference.token});
  EXPECT_EQ(refused.why, Denial::other_holder);
  EXPECT_FALSE(refused.held);
  EXPECT_EQ(reference.hash(), held);
}

TEST(ReferenceHold, is_replaced_by_the_next_one) {
  Led reference;
  reference.expect<HoldSet>(SetHold{kResource, kLeader, reference.token, kTen});
  reference.now += kTen;
  EXPECT_EQ(reference.expect<HoldSet>(SetHold{kResource, kLeader, reference.token, -kTen}).hold,
            (Hold{.since = at(1'010), .jump = -kTen}));
}

TEST(ReferenceDue, is_read_by_cursor_up_to_the_horizon_page_by_page) {
  ReferenceFixture reference;
  for (const std::uint32_t id : {5U, 3U, 9U}) reference.put(id, 0, every(kTen));
  reference.now = at(1'500);
  reference.put(1, 0, every(kTen));
  EXPECT_TRUE(reference.due(at(1'000)).segments.empty()) << "nothing lies before the horizon";

  const auto first = reference.due(at(1'500), 2);
  ASSERT_EQ(first.segments.size(), 2U);
  EXPECT_TRUE(first.more);
  EXPECT_EQ(first.segments[0].schedule, ScheduleId{3});
  EXPECT_EQ(first.segments[1].schedule, ScheduleId{5});
  const auto second = reference.expect<Due>(ReadDue{kResource, at(1'500), 2, first.segments.back()});
  ASSERT_EQ(second.segments.size(), 1U);
  EXPECT_FALSE(second.more);
  EXPECT_EQ(second.segments[0].schedule, ScheduleId{9});
  EXPECT_EQ(reference.due(at(1'500) + kMicro).segments.back().schedule, ScheduleId{1});
}

TEST(ReferenceOutbox, is_read_page_by_page_and_acknowledged_in_any_order) {
  Led reference;
  reference.now = at(1'045);
  for (std::int64_t slot = 1'000; slot < 1'050; slot += 10)
    reference.cover(fired(1, 1, at(slot), at(slot + 10)));
  const auto page = reference.outbox(1, 2);
  ASSERT_EQ(page.events.size(), 2U);
  EXPECT_EQ(page.events[0].seq, 2U);
  EXPECT_TRUE(page.more);

  const auto id = [](std::int64_t slot) { return EventId{.schedule = {1}, .slot = at(slot)}; };
  for (int twice = 0; twice < 2; ++twice) {
    reference.expect<Acknowledged>(AckEvents{kResource, {{id(1'020)}, {id(1'000)}, {id(7'777)}}});
    std::vector<std::uint64_t> left;
    for (const OutboxEvent& event : reference.outbox().events) left.push_back(event.seq);
    EXPECT_EQ(left, (std::vector<std::uint64_t>{2, 4, 5}));
  }
  reference.expect<Acknowledged>(AckEvents{kResource, {{id(1'010)}, {id(1'030)}, {id(1'040)}}});
  EXPECT_TRUE(reference.outbox().events.empty());
  EXPECT_FALSE(reference.outbox().more);
}

TEST(ReferenceOutbox, hashes_by_what_is_pending_and_not_by_how_it_came_about) {
  Led one;
  Led other;
  const auto id = [](std::uint32_t schedule) { return EventId{.schedule = {schedule}, .slot = at(1'000)}; };
  for (Led* reference : {&one, &other}) {
    reference->put(3, 0, every(kTen));
    for (const std::uint32_t schedule : {1U, 2U, 3U})
      reference->cover(fired(schedule, 1, at(1'000), at(1'010)));
  }
  one.expect<Acknowledged>(AckEvents{kResource, {{id(1)}, {id(2)}}});
  other.expect<Acknowledged>(AckEvents{kResource, {{id(2)}}});
  EXPECT_NE(one.hash(), other.hash());
  other.expect<Acknowledged>(AckEvents{kResource, {{id(1)}}});
  EXPECT_EQ(one.hash(), other.hash());
}

}  // namespace
}  // namespace tenure::reference
