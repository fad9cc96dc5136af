// What checkers say when the store fails over and takes back what it had acknowledged.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

using NameSet = std::set<std::string>;

constexpr Token kOld{0, 1, 101};
constexpr Token kNew{2, 1, 101};

void stalls(History& h, Duration at) {
  h.at(at);
  h.see(StoreReplicaStalled{StoreId{}});
}
void fails_over(History& h, Duration at) {
  h.at(at);
  h.see(StoreFailedOver{StoreId{}, 2});
}
// The row, and nothing of the work.
void covers(History& h, int slot, const Token& shown, std::uint32_t version = 1) {
  h.covers(kN1, shown, History::fired_row(seconds(slot), version));
}
// n1 leads, fires 0 and 10, and the replica stands still; it fires 20 and 30 after that, and the store fails over at 35
// s.
void lose_two_fires(History& h) {
  h.leads_and_fires(seconds(0), seconds(20));
  stalls(h, seconds(15));
  h.leads_and_fires(seconds(20), seconds(40));
  fails_over(h, seconds(35));
}
// The lease is adopted by the new branch, and n1 has it again.
void adopt(History& h, Duration at) {
  h.at(at);
  const reference::Request acquire = reference::Acquire{kResource, kN1, 1, 5, seconds(15)};
  h.applies(kN1, acquire,
            reference::Reply{reference::Refused{reference::Denial::other_branch, kN1, 1, seconds(15)}}, 2);
  h.granted(kN1, kNew);
}

TEST(Failover, a_fire_that_was_lost_is_owed_again_and_its_work_is_not) {
  History h{reference_scenario()};
  lose_two_fires(h);
  adopt(h, seconds(36));
  for (const int slot : {20, 30, 40, 50}) {
    h.at(seconds(std::max(slot, 36)) + millis(500));
    h.covers(kN1, kNew, History::fired_row(seconds(slot)));
    if (slot >= 40) h.work_is_done(kN1, seconds(slot), kNew);
  }
  h.at(seconds(58));
  h.heals();
  h.finishes();
  EXPECT_FALSE(h.failing().contains("no-lost-fire")) << h.first_message("no-lost-fire");
  EXPECT_FALSE(h.failing().contains("no-duplicate-fire")) << h.first_message("no-duplicate-fire");
  EXPECT_EQ(h.sometimes("commit-lost"), 2u);
}

TEST(Failover, a_fire_that_was_lost_and_is_not_made_again_is_a_lost_fire) {
  History h{reference_scenario()};
  lose_two_fires(h);
  h.at(seconds(36));
  h.heals();
  h.finishes();
  EXPECT_TRUE(h.failing().contains("no-lost-fire"));
}

TEST(Failover, what_the_replica_had_is_not_covered_again) {
  History h{reference_scenario()};
  lose_two_fires(h);
  adopt(h, seconds(36));
  covers(h, 10, kNew);
  EXPECT_TRUE(h.failing().contains("no-duplicate-fire"));
}

TEST(Failover, work_is_not_undone_and_must_not_begin_again) {
  History h{reference_scenario()};
  lose_two_fires(h);
  adopt(h, seconds(36));
  covers(h, 20, kNew);
  EXPECT_FALSE(h.failing().contains("no-duplicate-fire"));
  h.lands(kN1, seconds(20), kNew, DeliveryOutcome::duplicate);
  EXPECT_FALSE(h.failing().contains("no-duplicate-fire"));
  h.lands(kN1, seconds(20), kNew);
  EXPECT_TRUE(h.failing().contains("no-duplicate-fire"));
}

TEST(Failover, work_is_judged_by_the_branch_that_it_was_decided_on) {
  History h{reference_scenario()};
  h.leads_and_fires(seconds(0), seconds(20));
  stalls(h, seconds(15));
  h.at(seconds(21));
  h.puts(kBilling, 2, every(seconds(7)));
  fails_over(h, seconds(35));
  h.lands(kN1, seconds(28), kOld);  // a slot of the version that was lost
  EXPECT_FALSE(h.failing().contains("no-drift")) << h.first_message("no-drift");
  h.lands(kN1, seconds(35), kNew);
  EXPECT_TRUE(h.failing().contains("no-drift")) << "and no slot of the one that survived";
}

// Whoever leads under the token of an earlier branch, or of a ring that knows no branches, reads the new primary.
TEST(Failover, work_under_an_old_token_may_be_right_by_what_there_is_now) {
  History h{reference_scenario()};
  h.leads_and_fires(seconds(0), seconds(20));
  Definition asleep = every(seconds(10));
  asleep.paused = true;
  h.at(seconds(12));
  h.puts(kBilling, 2, asleep);
  stalls(h, seconds(15));
  fails_over(h, seconds(35));
  h.at(seconds(36));
  h.puts(kBilling, 3, every(seconds(10)));
  h.lands(kN1, seconds(40), kOld);
  EXPECT_FALSE(h.failing().contains("no-drift")) << h.first_message("no-drift");
  h.lands(kN1, seconds(30), kOld);  // paused on either
  EXPECT_TRUE(h.failing().contains("no-drift"));
}

TEST(Failover, a_row_by_a_definition_that_was_lost_is_a_drift) {
  History h{reference_scenario()};
  h.leads_and_fires(seconds(0), seconds(20));
  stalls(h, seconds(15));
  h.at(seconds(21));
  h.puts(kBilling, 2, every(seconds(7)));
  fails_over(h, seconds(35));
  h.at(seconds(36));
  h.puts(kBilling, 2, every(seconds(9)));
  adopt(h, seconds(43));
  covers(h, 42, kNew, 2);  // of every 7 s
  EXPECT_TRUE(h.failing().contains("no-drift"));
}

TEST(Failover, a_lease_is_granted_to_nobody_else_before_its_whole_promise_was_counted_again) {
  History h{reference_scenario()};
  h.at(seconds(1));
  h.granted(kN1, kOld);
  stalls(h, seconds(2));
  fails_over(h, seconds(30));
  h.granted(kN2, {2, 2, 102});  // although no renewal of it is known, and 15 s have passed
  EXPECT_TRUE(h.failing().contains("fenced-writes"));
}

TEST(Failover, a_lease_that_was_adopted_and_has_run_out_is_free) {
  History h{reference_scenario()};
  h.at(seconds(1));
  h.granted(kN1, kOld);
  stalls(h, seconds(2));
  fails_over(h, seconds(30));
  adopt(h, seconds(31));
  h.at(seconds(47));
  h.granted(kN2, {2, 2, 102});
  EXPECT_FALSE(h.failing().contains("fenced-writes")) << h.first_message("fenced-writes");
}

TEST(Failover, a_write_under_a_token_of_the_branch_that_was_lost_is_stale) {
  History h{reference_scenario()};
  lose_two_fires(h);
  const reference::Request commit =
      reference::CommitFires{kResource, kN1, kOld, {History::fired_row(seconds(20))}};
  h.submits(kN1, commit);
  h.applies(kN1, commit, reference::Reply{reference::Committed{{reference::RowResult::covered}}}, 2);
  EXPECT_TRUE(h.failing().contains("fenced-writes"));
}

TEST(Failover, an_epoch_may_be_given_twice_and_a_token_may_not) {
  History h{reference_scenario()};
  stalls(h, seconds(1));
  h.granted(kN1, {0, 1, 101});
  fails_over(h, seconds(5));
  h.granted(kN2, {2, 1, 102});
  EXPECT_FALSE(h.failing().contains("one-holder-per-epoch"));
  EXPECT_FALSE(h.failing().contains("epochs-increase"));
}

TEST(Failover, what_was_skipped_and_lost_is_counted_once) {
  History h{reference_scenario()};
  stalls(h, seconds(1));
  h.at(seconds(25));
  h.covers(kN1, kOld, History::range_row(seconds(0), seconds(20), reference::Disposition::missed));
  fails_over(h, seconds(30));
  h.covers(kN1, kNew, History::range_row(seconds(0), seconds(20), reference::Disposition::missed));
  h.finishes();
  EXPECT_EQ(h.metrics().skipped_slots, 2u);
}

TEST(Failover, what_had_fired_is_not_counted_as_skipped_when_it_is_written_off) {
  History h{reference_scenario()};
  stalls(h, seconds(1));
  h.at(seconds(25));
  h.work_is_done(kN1, seconds(10), kOld);
  fails_over(h, seconds(60));
  h.covers(kN1, kNew, History::range_row(seconds(0), seconds(30), reference::Disposition::missed));
  EXPECT_EQ(h.metrics().skipped_slots, 2u);  // 0s and 20s
  reference::LedgerRow once = History::fired_row(seconds(50));
  once.from = store_at(seconds(30));
  once.slots = 3;
  h.work_is_done(kN1, seconds(40), kOld);
  h.covers(kN1, kNew, once);
  h.finishes();
  EXPECT_EQ(h.metrics().skipped_slots, 3u);  // and 30s
}

TEST(Counts, what_a_delete_writes_off_is_counted_once) {
  History h{reference_scenario()};
  h.at(seconds(15));
  for (int times = 0; times < 2; ++times)
    h.applies(kClient, reference::Request{reference::DeleteSchedule{kResource, kBilling, 1}},
              reference::Reply{reference::Edited{1, 2}});
  h.puts(kBilling, 3, every(seconds(10)));
  h.at(seconds(25));
  h.applies(kClient, reference::Request{reference::DeleteSchedule{kResource, kBilling, 3}},
            reference::Reply{reference::Edited{1, 4}});
  h.finishes();
  EXPECT_EQ(h.metrics().skipped_slots, 3u);  // 0s and 10s; 20s
}

}  // namespace
}  // namespace tenure::sim
