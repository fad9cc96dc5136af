// no-lost-fire from journals, and whom they are silent about: slots that a leader passed over, schedules that no commit
// names, holders without a journal.
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/audit/audit.h"
#include "tests/lab/audit/writing.h"

namespace tenure::sim {
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
  explicit LeaderOfSlots(std::int64_t until, std::vector<reference::Change> changes) {
    const std::int64_t stall = Duration::seconds(15).ns();
    process.write(0, journal::LifeBegan{
                         "boot", {{"scheduling.max_running", 1'000}, {"scheduling.stall_timeout", stall}}});
    process.leads(100, term(1));
    const auto asked = process.asks(120, reference::ChangesSince{}, true);
    process.hears(140, asked, reference::Changes{std::move(changes), 2, false, std::nullopt, 0}, 130, 130);
    end = until;
  }
  void renews(std::int64_t at) {
    process.renews(at, term(1));
    process.believes(at + 10, term(1), at + 990);
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
    process.commits(at + 300, term(1), {row});
    process.begins(at + 320, slot(at, schedule.value), term(1));
    process.ends(at + 330, slot(at, schedule.value));
    now = std::max(now, at + 200);
  }
  Audit audited(bool ends = true) {
    goes_on(end);
    if (ends) process.write(end + 100, journal::LifeEnded{true});
    return audit_of({&process});
  }

  Process process{1};
  std::int64_t now = 200;
  std::int64_t end = 0;
};

std::uint64_t lost_in(const Audit& audit) {
  const CheckResult* check = find_check(audit, "no-lost-fire");
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
  EXPECT_EQ(audit.verdict, Verdict::fail);

  LeaderOfSlots soon(40'000, {put(kJob, 1)});  // it may yet have fired the slot of 30 s
  for (std::int64_t at = 0; at <= 20'000; at += kEvery) soon.fires(at);
  EXPECT_EQ(lost_in(soon.audited()), 0U);
}

TEST(AuditOwed, a_schedule_that_no_commit_names_is_lost) {
  LeaderOfSlots leader(65'000, {put(kJob, 1), put(kOther, 2)});
  for (std::int64_t at = 0; at <= 60'000; at += kEvery) leader.fires(at);
  EXPECT_EQ(lost_in(leader.audited()), 1U);
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
  EXPECT_EQ(audit.verdict, Verdict::inconclusive);
  EXPECT_TRUE(is_lacking(audit, "a stretch of slots that were due is in no commit here"));
}

TEST(AuditOwed, after_a_hold_it_is_not_judged) {
  LeaderOfSlots leader(65'000, {put(kJob, 1)});
  for (std::int64_t at = 0; at <= 20'000; at += kEvery) leader.fires(at);
  const auto asked =
      leader.process.asks(20'400, reference::SetHold{{}, leader.process.who(), term(1), {}}, true);
  leader.process.hears(20'420, asked, reference::HoldSet{}, 20'410, 20'410);
  const Audit audit = leader.audited();
  EXPECT_EQ(lost_in(audit), 0U);
  EXPECT_TRUE(std::any_of(audit.not_judged.begin(), audit.not_judged.end(), [](const Silence& silence) {
    return silence.checker == "no-lost-fire" && silence.why.starts_with("a hold stood");
  }));
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
  EXPECT_EQ(audit.verdict, Verdict::inconclusive);
  EXPECT_TRUE(is_lacking(audit, "node 9 held resource 0 (epoch 1), as n1 was told"));
  EXPECT_EQ(audit.lacking.size(), 1U) << "once, and by name";
}

}  // namespace
}  // namespace tenure::sim
