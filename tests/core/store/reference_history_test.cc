// What became of slots, row by row; instances that register; and schedules that are deleted when they are finished.
#include <gtest/gtest.h>

#include <memory>

#include "tests/core/store/reference_fixture.h"

namespace tenure::reference {
namespace {

const Duration kPeriod = Duration::seconds(10);

struct ReferenceHistory : ::testing::Test, ReferenceFixture {
  ReferenceHistory() {
    store = ReferenceStore::with_history();
    token = lead(kLeader, Duration::hours(24 * 300));
  }
  std::vector<HistoryRow> rows(const ReadHistory& asked = {kResource}) {
    return expect<HistoryPage>(asked).rows;
  }
  std::uint64_t prune(StoreTime before, std::uint32_t limit = 1'000,
                      std::uint64_t keep = Prune::kHistoryRows) {
    return expect<Pruned>(Prune{kResource, before, limit, keep}).rows;
  }

  Token token;
};

TEST_F(ReferenceHistory, has_a_row_for_each_row_of_the_ledger_and_each_manual_event) {
  put(1, 0, every(kPeriod, at(1'010)));
  now = at(1'040);
  commit(kLeader, token,
         {fired(1, 1, at(1'010), at(1'020)), range(1, 1, at(1'020), at(1'030), Disposition::missed),
          fired_for(1, 1, at(1'030), at(1'040) + kMicro, at(1'040), 2)});
  now = at(1'045);
  for (int twice = 0; twice < 2; ++twice)
    expect<Edited>(BackfillSchedule{kResource, {1}, 7, {at(990), at(980)}});
  remove(1, 1);
  const auto all = rows();
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].what, Disposition::fired);
  EXPECT_EQ(all[0].slot, at(1'010));
  EXPECT_EQ(all[0].at, at(1'040));
  EXPECT_EQ(all[0].seq, 1U);
  EXPECT_EQ(all[1].what, Disposition::missed);
  EXPECT_EQ(all[1].from, at(1'020));
  EXPECT_EQ(all[1].to, at(1'030));
  EXPECT_EQ(all[2].slots, 2);
  EXPECT_EQ(all[3].run, 7U);
  EXPECT_EQ(all[3].slot, at(990));
  EXPECT_EQ(all[4].slot, at(980));
  EXPECT_EQ(all[4].at, at(1'045));
}

TEST_F(ReferenceHistory, records_what_was_still_due_at_a_delete) {
  put(1, 0, every(kPeriod, at(1'010)));
  now = at(1'025);
  remove(1, 1);
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_EQ(rows()[0].what, Disposition::deleted);
  EXPECT_EQ(rows()[0].from, at(1'010));
  EXPECT_EQ(rows()[0].to, at(1'025));
}

TEST_F(ReferenceHistory, is_read_by_schedule_and_from_either_end) {
  put(1, 0, every(kPeriod));
  put(2, 0, every(kPeriod));
  for (std::uint64_t run = 1; run <= 6; ++run)
    expect<Edited>(TriggerSchedule{kResource, {static_cast<std::uint32_t>(1 + run % 2)}, run, now});
  const auto seqs = [&](const ReadHistory& asked) {
    std::vector<std::uint64_t> found;
    for (const HistoryRow& row : rows(asked)) found.push_back(row.seq);
    return found;
  };
  using Seqs = std::vector<std::uint64_t>;
  EXPECT_EQ(seqs({kResource, ScheduleId{1}}), (Seqs{2, 4, 6}));
  EXPECT_EQ(seqs({kResource, {}, 2, 2}), (Seqs{3, 4}));
  EXPECT_EQ(seqs({kResource, {}, 0, 2, true}), (Seqs{6, 5}));
  EXPECT_EQ(seqs({kResource, ScheduleId{2}, 5, 9, true}), (Seqs{3, 1}));
  EXPECT_TRUE(expect<HistoryPage>(ReadHistory{kResource, {}, 0, 5}).more);
  EXPECT_FALSE(expect<HistoryPage>(ReadHistory{kResource, {}, 0, 6}).more);
}

TEST_F(ReferenceHistory, is_pruned_by_age_and_by_number_and_says_what_is_gone) {
  put(1, 0, every(kPeriod));
  for (std::uint64_t run = 1; run <= 6; ++run) {
    now = at(2'000 + static_cast<std::int64_t>(run));
    expect<Edited>(TriggerSchedule{kResource, {1}, run, now});
  }
  EXPECT_EQ(prune(at(2'002)), 2U + 1U) << "and one run";
  auto page = expect<HistoryPage>(ReadHistory{kResource});
  EXPECT_EQ(page.forgotten, 2U);
  EXPECT_EQ(page.last, 6U);
  EXPECT_EQ(prune(at(1), 1, 1), 1U) << "one at a time";
  EXPECT_EQ(prune(at(1), 9, 1), 2U);
  page = expect<HistoryPage>(ReadHistory{kResource});
  ASSERT_EQ(page.rows.size(), 1U);
  EXPECT_EQ(page.rows[0].seq, 6U);
  EXPECT_EQ(page.forgotten, 5U);
}

// Simulations have machines without one, whose memory does not grow with each fire.
TEST_F(ReferenceHistory, is_no_part_of_a_machine_that_was_made_without) {
  ReferenceFixture plain;
  ReferenceFixture keeps;
  keeps.store = ReferenceStore::with_history();
  for (ReferenceFixture* one : {&plain, &keeps}) one->put(1, 0, every(kPeriod));
  const std::uint64_t before = keeps.hash();
  for (ReferenceFixture* one : {&plain, &keeps})
    one->expect<Edited>(TriggerSchedule{kResource, {1}, 1, one->now});
  EXPECT_NE(keeps.hash(), before);
  EXPECT_NE(keeps.hash(), plain.hash());
}

// ---- instances -------------------------------------------------------------------------------------------

TEST_F(ReferenceHistory, instances_are_given_numbers_that_nobody_else_had) {
  const auto registered = [&](const std::string& key) {
    return expect<NodeRegistered>(RegisterNode{kResource, key, "host"}).node.value;
  };
  EXPECT_EQ(registered("a"), kFirstRegistered);
  EXPECT_EQ(registered("b"), kFirstRegistered + 1);
  now = at(2'000);
  EXPECT_EQ(registered("a"), kFirstRegistered) << "the same key, the same instance";
  auto nodes = expect<RegisteredNodes>(ReadNodes{kResource}).nodes;
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].since, at(1'000));
  EXPECT_EQ(nodes[0].seen, at(2'000));
  EXPECT_EQ(prune(at(1'500)), 1U);
  EXPECT_EQ(expect<RegisteredNodes>(ReadNodes{kResource}).nodes.size(), 1U);
  EXPECT_EQ(registered("b"), kFirstRegistered + 2) << "forgotten, and so another one";
}

// ---- finished schedules ----------------------------------------------------------------------------------

Definition once(StoreTime when) {
  return {.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(std::vector{when})}};
}

TEST_F(ReferenceHistory, a_schedule_without_slots_is_deleted_after_the_bound_when_its_events_are_delivered) {
  put(1, 0, once(at(1'010)));
  put(2, 0, every(kPeriod));
  now = at(1'010);
  cover(kLeader, token, fired(1, 1, at(1'010), StoreTime::max()));
  now = at(9'000);
  const auto exists = [&](const char* name) {
    return !expect<NamedSchedules>(ReadNamed{kResource, name}).schedules.empty();
  };
  prune(at(8'000));
  EXPECT_TRUE(exists("1")) << "its event is not delivered";
  expect<Acknowledged>(AckEvents{kResource, {{{.schedule = {1}, .slot = at(1'010), .run = 0}}}});
  prune(at(1'009));
  EXPECT_TRUE(exists("1")) << "not for long enough";
  prune(at(8'000));
  EXPECT_FALSE(exists("1"));
  EXPECT_TRUE(exists("2"));
  const auto log = expect<Log>(ReadLog{kResource}).entries;
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(log.back().what, LogAction::deleted);
  EXPECT_EQ(log.back().actor, kRetentionActor);
  expect<NamedEdited>(PutNamed{kResource, "next", {}, every(kPeriod), {}, ""});
  EXPECT_EQ(expect<NamedSchedules>(ReadNamed{kResource, "next"}).schedules.at(0).edition.schedule.value, 3U)
      << "its number is not used again";
}

TEST_F(ReferenceHistory, a_schedule_that_never_had_a_slot_is_finished_from_its_begin) {
  put(1, 0, once(at(500)));
  EXPECT_EQ(prune(at(999)), 0U);
  EXPECT_EQ(prune(at(1'000)), 1U);
}

TEST_F(ReferenceHistory, a_dead_event_does_not_keep_a_finished_schedule) {
  put(1, 0, once(at(1'010)));
  now = at(1'010);
  cover(kLeader, token, fired(1, 1, at(1'010), StoreTime::max()));
  expect<GivenUp>(
      GiveUpEvents{kResource, kLeader, token, {{{.schedule = {1}, .slot = at(1'010), .run = 0}, 3}}});
  now = at(9'000);
  prune(at(1'010) + kMicro);
  EXPECT_TRUE(expect<NamedSchedules>(ReadNamed{kResource, "1"}).schedules.empty());
}

}  // namespace
}  // namespace tenure::reference
