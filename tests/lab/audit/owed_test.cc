// no-lost-fire from journals, and whom they are silent about: slots that a leader passed over, schedules that no commit
// names, holders without a journal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/model/describe.h"
#include "lab/audit/audit.h"
#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

constexpr std::int64_t kEvery = 10'000;  // ms
constexpr ScheduleId kJob{7};
constexpr ScheduleId kOther{8};

reference::Change put(ScheduleId schedule, std::uint64_t seq) {
  reference::Change change;
  change.seq = seq;
  change.segment = {schedule, 1, store_time(0), StoreTime::max(), store_time(0)};
  change.definition.recurrence = Interval{store_time(0), Duration::millis(kEvery)};
  return change;
}

// One that leads from the beginning until `until`, and hears of these changes.
struct LeaderOfSlots {
  struct Of {
    std::uint32_t node = 1;
    ResourceId resource = {};
    Token token = term(1);
    std::int64_t from = 0;
    Duration stall_timeout = Duration::seconds(15);
  };
  explicit LeaderOfSlots(std::int64_t until, std::vector<reference::Change> changes,
                         std::int64_t workers = 1'000)
      : LeaderOfSlots(until, std::move(changes), workers, Of{}) {}
  LeaderOfSlots(std::int64_t until, std::vector<reference::Change> changes, std::int64_t workers, Of of)
      : process(of.node, of.resource), token(of.token), now(of.from + 200) {
    process.starts(of.from, "boot",
                   {{"max_running", workers}, {"batch", 500}, {"stall_timeout", of.stall_timeout.ns()}});
    process.leads(of.from + 100, token);
    const auto asked = process.asks(of.from + 120, reference::ChangesSince{of.resource}, true);
    process.hears(of.from + 140, asked,
                  reference::Changes{std::move(changes), 2, false, std::nullopt, token.branch}, of.from + 130,
                  static_cast<std::uint64_t>(of.from + 130));
    end = until;
  }
  void renews(std::int64_t at) {
    process.renews(at, token);
    process.believes(at + 10, token, at + 990);
    now = at;
  }
  void goes_on(std::int64_t to) {
    while (now + 500 < to) renews(now + 500);
  }
  // Commits the slot when it is due, and does its work.
  void fires(std::int64_t at, ScheduleId schedule = kJob) {
    goes_on(at);
    if (at > now) renews(at + 50);
    reference::LedgerRow row = fired(at);
    row.schedule = schedule;
    row.to = store_time(at + kEvery);
    process.commits(at + 300, token, {row});
    process.begins(at + 320, slot(at, schedule.value), token);
    process.ends(at + 330, slot(at, schedule.value));
    now = std::max(now, at + 200);
  }
  void finish(bool ends = true) {
    goes_on(end);
    if (ends) process.write(end + 100, journal::LifeEnded{true});
  }
  Audit audited(bool ends = true) {
    finish(ends);
    return audit_of({&process});
  }

  Process process;
  Token token;
  std::int64_t now;
  std::int64_t end = 0;
};

std::uint64_t lost_in(const Audit& audit) {
  const sim::CheckResult* check = find_check(audit, "no-lost-fire");
  return check == nullptr ? 0 : check->violation_count;
}
bool is_lacking(const Audit& audit, std::string_view what) {
  return std::any_of(audit.lacking.begin(), audit.lacking.end(),
                     [&](const std::string& one) { return one.find(what) != std::string::npos; });
}

TEST(AuditOwed, what_a_leader_fires_is_not_lost) {
  LeaderOfSlots leader(65'000, {put(kJob, 1)});
  for (std::int64_t at = 0; at <= 60'000; at += kEvery) leader.fires(at);
  const Audit audit = leader.audited();
  ASSERT_NE(find_check(audit, "no-lost-fire"), nullptr);
  EXPECT_EQ(lost_in(audit), 0U);
  for (const Silence& silence : audit.not_judged) EXPECT_NE(silence.checker, "no-lost-fire");
}

TEST(AuditOwed, slots_at_the_end_that_a_leader_went_on_without_are_lost) {
  LeaderOfSlots leader(65'000, {put(kJob, 1)});
  for (std::int64_t at = 0; at <= 20'000; at += kEvery) leader.fires(at);
  const Audit audit = leader.audited();
  EXPECT_EQ(lost_in(audit), 1U);
  EXPECT_EQ(audit.verdict, sim::Verdict::fail);

  LeaderOfSlots soon(40'000, {put(kJob, 1)});  // it may yet have fired the slot of 30 s
  for (std::int64_t at = 0; at <= 20'000; at += kEvery) soon.fires(at);
  EXPECT_EQ(lost_in(soon.audited()), 0U);
}

TEST(AuditOwed, a_schedule_that_no_commit_names_is_lost) {
  LeaderOfSlots leader(65'000, {put(kJob, 1), put(kOther, 2)});
  for (std::int64_t at = 0; at <= 60'000; at += kEvery) leader.fires(at);
  EXPECT_EQ(lost_in(leader.audited()), 1U);
}

// The leader states its stall_timeout itself.
TEST(AuditOwed, what_no_commit_names_is_lacking_whatever_the_stall_timeout) {
  for (const Duration stall : {Duration{}, Duration::seconds(15), Duration::hours(1)}) {
    LeaderOfSlots leader(20'000, {put(kJob, 1), put(kOther, 2)}, 1'000, {.stall_timeout = stall});
    for (std::int64_t at = 0; at <= 10'000; at += kEvery) leader.fires(at);
    const Audit audit = leader.audited();
    EXPECT_EQ(lost_in(audit), 0U);
    EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
    EXPECT_TRUE(is_lacking(audit, "no commit here, and a leader went on for 10s")) << describe(stall);
  }
}

TEST(AuditOwed, the_rest_of_a_deleted_schedule_is_the_stores) {
  reference::Change gone = put(kOther, 2);
  gone.deleted = true;
  gone.segment.begin = gone.segment.end = gone.segment.cursor = store_time(30'000);
  LeaderOfSlots leader(65'000, {put(kJob, 1), put(kOther, 1), gone});
  for (std::int64_t at = 0; at <= 60'000; at += kEvery) leader.fires(at);
  EXPECT_EQ(lost_in(leader.audited()), 0U);
}

TEST(AuditOwed, what_a_journal_without_an_end_may_have_lost_is_lacking) {
  LeaderOfSlots leader(65'000, {put(kJob, 1)});
  for (std::int64_t at = 0; at <= 20'000; at += kEvery) leader.fires(at);
  const Audit audit = leader.audited(false);
  EXPECT_EQ(lost_in(audit), 0U);
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_TRUE(is_lacking(audit, "a stretch of slots that were due is in no commit here"));
}

std::string left_out_of(const Audit& audit) {
  for (const Silence& silence : audit.left_out)
    if (silence.checker == "no-lost-fire") return silence.why;
  return {};
}

// A hold from then on, or its end.
void set_hold(LeaderOfSlots& leader, std::int64_t at) {
  const auto asked = leader.process.asks(at, reference::SetHold{{}, leader.process.who(), term(1), {}}, true);
  leader.process.hears(at + 20, asked, reference::HoldSet{}, at + 10, static_cast<std::uint64_t>(at + 10));
  leader.now = at + 30;
}
void clear_hold(LeaderOfSlots& leader, std::int64_t at) {
  const auto asked = leader.process.asks(at, reference::ClearHold{{}, leader.process.who(), term(1)}, true);
  leader.process.hears(at + 20, asked, reference::HoldSet{}, at + 10, static_cast<std::uint64_t>(at + 10));
  leader.now = at + 30;
}

TEST(AuditOwed, what_waits_for_a_hold_is_not_lost) {
  LeaderOfSlots leader(65'000, {put(kJob, 1)});
  for (std::int64_t at = 0; at <= 20'000; at += kEvery) leader.fires(at);
  set_hold(leader, 20'400);
  const Audit audit = leader.audited();
  EXPECT_EQ(lost_in(audit), 0U);
  EXPECT_THAT(left_out_of(audit),
              testing::HasSubstr("1 stretch of due slots that no leader was free to commit"));
}

TEST(AuditOwed, what_a_leader_goes_past_before_and_after_a_hold_is_lost) {
  LeaderOfSlots before(125'000, {put(kJob, 1), put(kOther, 2)});
  for (std::int64_t at = 0; at <= 60'000; at += kEvery) before.fires(at);  // and never one of the other
  set_hold(before, 60'500);
  EXPECT_EQ(lost_in(before.audited()), 1U);

  LeaderOfSlots after(65'000, {put(kJob, 1)});
  for (std::int64_t at = 0; at <= 20'000; at += kEvery) after.fires(at);
  set_hold(after, 20'400);
  after.goes_on(25'000);
  clear_hold(after, 25'100);
  EXPECT_EQ(lost_in(after.audited()), 1U);

  LeaderOfSlots soon(49'000, {put(kJob, 1)});  // 24 s after the hold it may yet have fired the slot of 30 s
  for (std::int64_t at = 0; at <= 20'000; at += kEvery) soon.fires(at);
  set_hold(soon, 20'400);
  soon.goes_on(25'000);
  clear_hold(soon, 25'100);
  EXPECT_EQ(lost_in(soon.audited()), 0U);
}

TEST(AuditOwed, what_waits_for_busy_workers_is_not_lost_and_what_waits_for_nothing_is) {
  for (const std::int64_t workers : {2, 3}) {
    LeaderOfSlots leader(65'000, {put(kJob, 1)}, workers);
    for (std::int64_t at = 0; at <= 20'000; at += kEvery) leader.fires(at);
    leader.process.begins(20'400, slot(0, 77), term(1));
    leader.process.begins(20'410, slot(10, 77), term(1));  // of which nothing comes back
    const Audit audit = leader.audited();
    EXPECT_EQ(lost_in(audit), workers == 2 ? 0U : 1U);
  }
}

// It waits for its work, and fires nothing meanwhile. So the last slots before everything stops are in no commit. One
// without work has nothing to stay for.
TEST(AuditOwed, what_waits_for_a_leader_that_is_to_stop_is_not_lost_while_it_works) {
  for (const bool stops : {true, false}) {
    for (const bool works : {true, false}) {
      LeaderOfSlots leader(65'000, {put(kJob, 1)});
      for (std::int64_t at = 0; at <= 20'000; at += kEvery) leader.fires(at);
      leader.process.begins(20'400, slot(25'000), term(1));
      if (stops) leader.process.write(20'500, StopAsked{});
      if (!works) leader.process.ends(20'600, slot(25'000));
      leader.goes_on(64'000);
      if (works) leader.process.ends(64'100, slot(25'000));
      EXPECT_EQ(lost_in(leader.audited()), stops && works ? 0U : 1U) << stops << works;
    }
  }
}

// What commits after it has heard of the stop does not stop, and leaves nothing out.
TEST(AuditOwed, a_leader_that_goes_on_after_it_heard_that_it_is_to_stop_is_excused_for_nothing) {
  for (const bool goes_on : {true, false}) {
    LeaderOfSlots leader(65'000, {put(kJob, 1), put(kOther, 2)});
    for (std::int64_t at = 0; at <= 10'000; at += kEvery) leader.fires(at);
    leader.process.begins(10'400, slot(25'000), term(1));
    leader.process.write(10'500, StopAsked{});
    if (goes_on)
      for (std::int64_t at = 20'000; at <= 60'000; at += kEvery) leader.fires(at);
    leader.goes_on(64'000);
    leader.process.ends(64'100, slot(25'000));
    EXPECT_EQ(lost_in(leader.audited()), goes_on ? 1U : 0U);
  }
}

TEST(AuditOwed, a_schedule_that_queues_waits_for_its_own_work_and_for_no_other) {
  for (const ScheduleId whose : {kJob, kOther}) {
    reference::Change queues = put(kJob, 1);
    queues.definition.overlap = Overlap::queue_one;
    LeaderOfSlots leader(65'000, {queues});
    for (std::int64_t at = 0; at <= 20'000; at += kEvery) leader.fires(at);
    leader.process.begins(20'400, slot(25'000, whose.value), term(1));  // of which nothing comes back
    EXPECT_EQ(lost_in(leader.audited()), whose == kJob ? 0U : 1U);
  }
}

// Its clock runs on, and it is told of nothing else: the machine may have stood still.
TEST(AuditOwed, time_in_which_a_leader_said_nothing_does_not_count) {
  LeaderOfSlots leader(65'000, {put(kJob, 1)});
  for (std::int64_t at = 0; at <= 20'000; at += kEvery) leader.fires(at);
  leader.renews(31'000);
  leader.now = 64'000;
  EXPECT_EQ(lost_in(leader.audited()), 0U);
}

TEST(AuditOwed, a_version_that_is_told_in_two_ways_is_not_judged_and_that_is_said) {
  reference::Change other = put(kOther, 2);
  other.definition.recurrence = Interval{store_time(0), Duration::millis(2 * kEvery)};
  LeaderOfSlots leader(65'000, {put(kJob, 1), put(kOther, 2), other});
  for (std::int64_t at = 0; at <= 60'000; at += kEvery) leader.fires(at);
  const Audit audit = leader.audited();
  EXPECT_EQ(lost_in(audit), 0U);
  EXPECT_THAT(left_out_of(audit), testing::HasSubstr("1 schedule whose versions are not all told"));
  EXPECT_TRUE(is_lacking(audit, "two definitions"));
}

TEST(AuditOwed, each_resource_is_judged_by_itself) {
  for (const bool loses : {false, true}) {
    LeaderOfSlots first(65'000, {put(kJob, 1)});
    for (std::int64_t at = 0; at <= 60'000; at += kEvery) first.fires(at);
    LeaderOfSlots second(65'000, {put(kOther, 1)}, 1'000, {2, ResourceId{5}, term(1), 5});
    for (std::int64_t at = 0; at <= (loses ? 20'000 : 60'000); at += kEvery) second.fires(at, kOther);
    first.finish();
    second.finish();
    EXPECT_EQ(lost_in(audit_of({&first.process, &second.process})), loses ? 1U : 0U);
  }
}

TEST(AuditOwed, a_schedule_of_two_resources_is_not_judged_and_that_is_said) {
  LeaderOfSlots first(65'000, {put(kJob, 1), put(kOther, 2)});
  for (std::int64_t at = 0; at <= 60'000; at += kEvery) first.fires(at);
  LeaderOfSlots second(65'000, {put(kOther, 1)}, 1'000, {2, ResourceId{5}, term(1), 5});
  first.finish();
  second.finish();
  const Audit audit = audit_of({&first.process, &second.process});
  EXPECT_EQ(lost_in(audit), 0U);
  EXPECT_THAT(left_out_of(audit), testing::HasSubstr("1 schedule whose versions are not all told"));
}

// The journal of the first has no end: what was due in its time is lacking. What was due later is not its.
TEST(AuditOwed, what_was_due_after_a_leader_that_was_killed_is_lost) {
  LeaderOfSlots killed(29'000, {put(kJob, 1)});
  killed.fires(0);
  LeaderOfSlots after(105'000, {put(kJob, 1)}, 1'000, {2, {}, term(2), 35'000});
  killed.finish(false);
  after.finish();
  const Audit audit = audit_of({&killed.process, &after.process});
  EXPECT_EQ(lost_in(audit), 1U);
  EXPECT_TRUE(is_lacking(audit, "a stretch of slots that were due is in no commit here"));
}

// What the old branch has committed may be gone with it, or not. From the first commit of the new one on it counts.
TEST(AuditOwed, after_a_failover_the_newest_branch_is_judged) {
  for (const bool loses : {false, true}) {
    LeaderOfSlots before(29'000, {put(kJob, 1)});
    before.fires(0);  // and neither the slot of 10 s nor that of 20 s
    LeaderOfSlots after(105'000, {put(kJob, 1)}, 1'000, {2, {}, {1, 2, 102}, 35'000});
    for (std::int64_t at = 40'000; at <= (loses ? 60'000 : 100'000); at += kEvery) after.fires(at);
    before.finish();
    after.finish();
    const Audit audit = audit_of({&before.process, &after.process});
    EXPECT_EQ(lost_in(audit), loses ? 1U : 0U);
    EXPECT_THAT(left_out_of(audit),
                testing::HasSubstr("up to the first commit after the store had failed over"));
  }
}

// The other schedule, whose slots are between those of the first.
reference::Change put_between(std::uint64_t seq) {
  reference::Change change = put(kOther, seq);
  change.definition.recurrence = Interval{store_time(kEvery / 2), Duration::millis(kEvery)};
  return change;
}

// A schedule of which the newest branch tells nothing.
TEST(AuditOwed, a_schedule_without_a_commit_since_a_failover_is_lacking) {
  for (const bool fires : {false, true}) {
    LeaderOfSlots before(29'000, {put(kJob, 1), put_between(2)});
    LeaderOfSlots after(107'000, {put(kJob, 1), put_between(2)}, 1'000, {2, {}, {1, 2, 102}, 35'000});
    for (std::int64_t at = 40'000; at <= 100'000; at += kEvery) {
      after.fires(at);
      if (fires) after.fires(at + kEvery / 2, kOther);
    }
    before.finish();
    after.finish();
    const Audit audit = audit_of({&before.process, &after.process});
    EXPECT_EQ(lost_in(audit), 0U);
    EXPECT_EQ(is_lacking(audit, "in a commit since the store failed over"), !fires);
  }
}

// Its answer has no reply, so it names no branch: nothing has failed over.
TEST(AuditOwed, a_request_that_was_rejected_or_is_in_doubt_excuses_no_lost_slot) {
  for (const auto outcome : {RequestOutcome::rejected, RequestOutcome::unknown}) {
    for (const bool fires_other : {false, true}) {
      LeaderOfSlots leader(67'000, {put(kJob, 1), put_between(2)}, 1'000, {1, {}, {2, 1, 101}, 0});
      const auto poll = leader.process.asks(210, reference::ChangesSince{}, true);
      leader.process.never_hears(220, poll, outcome);
      for (std::int64_t at = 0; at <= 60'000; at += kEvery) {
        leader.fires(at);
        if (fires_other) leader.fires(at + kEvery / 2, kOther);
      }
      const Audit audit = leader.audited();
      EXPECT_EQ(lost_in(audit), fires_other ? 0U : 1U);
      EXPECT_THAT(left_out_of(audit), testing::Not(testing::HasSubstr("failed over")));
    }
  }
}

TEST(AuditOwed, manual_runs_are_never_judged_and_that_is_said) {
  LeaderOfSlots leader(65'000, {put(kJob, 1)});
  for (std::int64_t at = 0; at <= 60'000; at += kEvery) leader.fires(at);
  EXPECT_THAT(left_out_of(leader.audited()), testing::StartsWith("manual runs, which clients ask for"));
}

TEST(AuditOwed, a_holder_that_the_store_named_and_that_has_no_journal_is_told_by_its_node) {
  Process first{1};
  first.starts(0);
  const Incarnation stranger{{9}, 77};
  const auto asked = first.asks(40, reference::Acquire{{}, first.who(), 0, 999, Duration::seconds(1)});
  first.hears(60, asked,
              reference::Refused{reference::Denial::other_holder, stranger, 1, Duration::millis(400)}, 50,
              50);
  first.leads(500, term(2));
  const Audit audit = audit_of({&first});
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_TRUE(is_lacking(audit, "node 9 held resource 0 (epoch 1), as n1 was told"));
  EXPECT_EQ(audit.lacking.size(), 1U) << "once, and by name";
}

// ---- rows-allowed ----

// Of a schedule's two slots the first fires, and its work is over and acknowledged at once, or after the second one's
// commit, which says `what`.
std::uint64_t wrong_rows(Overlap overlap, bool at_once, reference::Disposition what) {
  reference::Change change = put(kJob, 1);
  change.definition.overlap = overlap;
  LeaderOfSlots leader(40'000, {change});
  const auto commits = [&](std::int64_t at, reference::Disposition says) {
    leader.goes_on(at);
    leader.renews(at + 50);
    reference::LedgerRow row = fired(at);
    row.to = store_time(at + kEvery);
    row.what = says;
    leader.process.commits(at + 300, leader.token, {row});
    if (says == reference::Disposition::fired)
      leader.process.begins(at + 320, slot(at, kJob.value), leader.token);
  };
  const auto ends = [&](std::int64_t slot_ms, std::int64_t at) {
    leader.process.ends(at, slot(slot_ms, kJob.value));
    const auto ack = leader.process.asks(at, reference::AckEvents{{}, {{slot(slot_ms, kJob.value)}}});
    leader.process.hears(at + 20, ack, reference::Acknowledged{}, at + 10,
                         static_cast<std::uint64_t>(at + 10));
  };
  commits(10'000, reference::Disposition::fired);
  if (at_once) ends(10'000, 10'400);
  commits(20'000, what);
  if (!at_once) ends(10'000, 20'400);
  return find_check(leader.audited(), "rows-allowed")->violation_count;
}

TEST(AuditRows, of_own_work_overlap_as_their_definition_says) {
  using reference::Disposition;
  for (const Overlap overlap : {Overlap::skip, Overlap::queue_one}) {
    EXPECT_EQ(wrong_rows(overlap, true, Disposition::fired), 0U);
    EXPECT_EQ(wrong_rows(overlap, true, Disposition::overlapped), 1U) << "nothing was running";
    EXPECT_EQ(wrong_rows(overlap, false, Disposition::fired), 1U) << "its work was running";
  }
  EXPECT_EQ(wrong_rows(Overlap::skip, false, Disposition::overlapped), 0U);
  EXPECT_EQ(wrong_rows(Overlap::allow, false, Disposition::fired), 0U);
  EXPECT_EQ(wrong_rows(Overlap::allow, false, Disposition::overlapped), 1U);
}

// ---- events for destinations ----

TEST(AuditSends, that_are_in_no_journal_are_lacking_once_their_leader_has_gone_on) {
  for (const std::int64_t sent_until : {0, 40'000, 60'000}) {
    reference::Change change = put(kJob, 1);
    change.definition.delivery = {.kind = Delivery::Kind::push, .destination = "shop"};
    LeaderOfSlots leader(65'000, {change});
    for (std::int64_t at = 0; at <= 60'000; at += kEvery) {
      leader.goes_on(at);
      if (at > leader.now) leader.renews(at + 50);
      reference::LedgerRow row = fired(at);
      row.to = store_time(at + kEvery);
      leader.process.commits(at + 300, leader.token, {row});
      if (at < sent_until) {
        leader.process.begins(at + 320, slot(at, kJob.value), leader.token);
        leader.process.ends(at + 330, slot(at, kJob.value));
      }
      leader.now = std::max(leader.now, at + 200);
    }
    EXPECT_EQ(is_lacking(leader.audited(), "sent nothing"), sent_until < 60'000) << sent_until;
  }
}

}  // namespace
}  // namespace tenure::lab
