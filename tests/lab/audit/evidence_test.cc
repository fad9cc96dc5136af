// What journals show of each other: a lease that was broken, a participant without a journal, a life after its end,
// machines without a clock in common, and commits and work that do not fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "lab/audit/audit.h"
#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

using Names = std::vector<std::string>;

bool lacks(const Audit& audit, std::string_view what) {
  return std::any_of(audit.lacking.begin(), audit.lacking.end(),
                     [&](const std::string& one) { return one.find(what) != std::string::npos; });
}
std::string all_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

reference::Reply refused(reference::Denial why, std::int64_t left_ms) {
  return reference::Refused{why, {}, 0, Duration::millis(left_ms)};
}
// A renewal that is refused.
void is_refused(Process& process, std::int64_t at, const Token& token, reference::Denial why,
                std::int64_t left_ms) {
  const auto request =
      process.asks(at - 10, reference::Renew{{}, process.who(), token, Duration::seconds(1)});
  process.hears(at + 10, request, refused(why, left_ms), at, static_cast<std::uint64_t>(at));
}
void acquire_is_refused(Process& process, std::int64_t at, std::uint64_t seen, std::int64_t left_ms) {
  const auto request =
      process.asks(at - 10, reference::Acquire{{}, process.who(), seen, 999, Duration::seconds(1)});
  process.hears(at + 10, request, refused(reference::Denial::other_holder, left_ms), at,
                static_cast<std::uint64_t>(at));
}

// ---- promise-kept ----

TEST(AuditPromise, a_holder_that_is_refused_before_its_end_was_robbed) {
  for (const auto why :
       {reference::Denial::other_holder, reference::Denial::no_lease, reference::Denial::expired}) {
    Process first{1};
    first.starts(0);
    first.leads(100, term(1));  // until 1100
    is_refused(first, 1'099, term(1), why, 500);
    const Audit audit = audit_of({&first});
    EXPECT_EQ(failing(audit), Names{"promise-kept"});
    EXPECT_EQ(audit.verdict, sim::Verdict::fail);
  }
}

TEST(AuditPromise, ends_with_the_lease_with_a_release_and_with_a_clock_that_goes_back) {
  Process expired{1};
  expired.starts(0);
  expired.leads(100, term(1));
  is_refused(expired, 1'100, term(1), reference::Denial::expired, 0);
  EXPECT_EQ(failing(audit_of({&expired})), Names{});

  Process gave{1};
  gave.starts(0);
  gave.leads(100, term(1));
  gave.steps_down(200);
  gave.asks(210, reference::Release{{}, gave.who(), term(1)});  // its answer is lost
  is_refused(gave, 400, term(1), reference::Denial::no_lease, 0);
  EXPECT_EQ(failing(audit_of({&gave})), Names{});

  Process first{1};
  first.starts(0);
  first.leads(100, term(1));
  Process second{2};
  second.starts(0);
  const auto request = second.asks(190, reference::Acquire{{}, second.who(), 1, 102, Duration::seconds(1)});
  second.hears(210, request, refused(reference::Denial::clock_stepped, 1'000), 200, 200);
  is_refused(first, 1'000, term(1), reference::Denial::other_holder, 500);
  EXPECT_EQ(find_check(audit_of({&first, &second}), "promise-kept")->violation_count, 0U);
}

// ---- participants without a journal ----

TEST(AuditMissing, an_epoch_that_nobody_was_granted_here_is_no_pass) {
  Process first{1};
  first.starts(0);
  first.leads(100, term(1));
  Process third{3};
  third.starts(0);
  third.leads(4'000, term(3));
  const Audit audit = audit_of({&first, &third});
  EXPECT_EQ(failing(audit), Names{});
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_TRUE(lacks(audit, "epoch 2 of resource 0 was granted")) << all_of(audit.lacking);

  Process far{4};
  far.starts(0);
  far.leads(9'000, term(9));
  EXPECT_TRUE(lacks(audit_of({&first, &third, &far}), "epochs 4 to 8 of resource 0 were granted"));
}

TEST(AuditMissing, an_acquire_whose_answer_was_lost_may_have_been_granted) {
  Process first{1};
  first.starts(0);
  first.leads(100, term(1));
  Process second{2};
  second.starts(0);
  second.sees(1'900, 1);
  second.asks(1'900, reference::Acquire{{}, second.who(), 1, 77, Duration::seconds(1)});
  Process third{3};
  third.starts(0);
  third.leads(4'000, term(3));
  EXPECT_EQ(audit_of({&first, &second, &third}).verdict, sim::Verdict::pass);
}

// The store fails over to a replica that knows of the first's term alone, and not of the second's.
Audit audit_after_failover(std::uint64_t epoch_told) {
  Process first{1};
  first.starts(0);
  first.leads(100, term(1));
  Process second{2};
  second.starts(0);
  second.leads(2'000, term(2));
  Process third{3};
  third.starts(0);
  using reference::Denial;
  const auto refused = [&](Process& who, std::int64_t at, reference::Request request, Denial why) {
    const std::uint32_t asked = who.asks(at - 10, std::move(request));
    const Duration left = why == Denial::other_branch ? Duration::seconds(1) : Duration::millis(900);
    who.hears(at + 10, asked, reference::Refused{why, first.who(), epoch_told, left}, at, 100);
  };
  const Duration lease = Duration::seconds(1);
  refused(third, 2'500, reference::Acquire{{}, third.who(), 1, 70, lease}, Denial::other_branch);
  refused(second, 2'600, reference::Acquire{{}, second.who(), 1, 71, lease}, Denial::other_holder);
  return audit_of({&first, &second, &third});
}

TEST(AuditMissing, a_store_that_has_failed_over_counts_an_old_promise_again) {
  EXPECT_FALSE(lacks(audit_after_failover(1), "somebody held")) << all_of(audit_after_failover(1).lacking);
  EXPECT_TRUE(lacks(audit_after_failover(7), "somebody held")) << all_of(audit_after_failover(7).lacking);
}

TEST(AuditMissing, a_holder_that_others_speak_of_is_no_pass) {
  Process first{1};
  first.starts(0);
  acquire_is_refused(first, 50, 0, 400);
  first.leads(500, term(2));
  const Audit audit = audit_of({&first});
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_TRUE(lacks(audit, "somebody held resource 0 when n1 was refused")) << all_of(audit.lacking);
}

TEST(AuditMissing, an_end_of_the_lease_that_no_grant_has_tells_of_a_renewal_that_was_left_out) {
  Process first{1};
  first.starts(0);
  first.leads(100, term(1));
  first.renews(500, term(1));
  first.believes(510, term(1), 1'490);
  Process second{2};
  second.starts(0);
  acquire_is_refused(second, 900, 0, 600);  // until 1500
  EXPECT_EQ(audit_of({&first, &second}).verdict, sim::Verdict::pass);
  acquire_is_refused(second, 1'000, 0, 900);
  const Audit audit = audit_of({&first, &second});
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_TRUE(lacks(audit, "no grant in these journals ends then")) << all_of(audit.lacking);
}

// ---- ends ----

TEST(AuditEnds, a_life_that_goes_on_after_its_end_fails_and_its_end_is_not_believed) {
  Process first{1};
  first.starts(0);
  first.acquires(100, term(1));
  first.believes(110, term(1), 4'000);  // longer than it has the lease
  first.write(300, journal::LifeEnded{});
  first.write(1'500, Note{LeadershipChecked{}});
  Process second{2};
  second.starts(0);
  second.leads(1'200, term(2));
  const Audit audit = audit_of({&first, &second});
  EXPECT_EQ(failing(audit), (Names{"one-believer", "life-ends-once", "belief-within-grant"}));
  EXPECT_EQ(audit.lives[0].end, AuditedLife::End::none);
}

// ---- machines ----

// The first leads from 100 to 1090 and watches the store until `watched`; the second, whose clock shows 1,000 s more,
// leads from `leads` on by the store's clock, and has watched it from 50 on.
Audit two_machines(const std::string& boot, const std::string& other, std::int64_t leads,
                   std::int64_t watched = 1'200) {
  Process first{1};
  first.starts(0, boot);
  first.leads(100, term(1));
  acquire_is_refused(first, watched, 0, 0);
  Process second{2};
  second.runs_ahead(1'000'000);
  second.starts(0, other);
  second.leads(leads, term(2));
  return audit_of({&first, &second});
}

TEST(AuditMachines, are_ordered_by_the_stores_clock) {
  for (const char* other : {"", "other"}) {
    const std::string boot = *other == '\0' ? "" : "boot";
    EXPECT_EQ(failing(two_machines(boot, other, 1'150)), Names{}) << other;
    const Names wrong = failing(two_machines(boot, other, 600));
    EXPECT_NE(std::find(wrong.begin(), wrong.end(), "one-believer"), wrong.end()) << other;
    EXPECT_EQ(two_machines(boot, other, 600).verdict, sim::Verdict::fail) << other;
  }
}

TEST(AuditMachines, say_where_nobody_watched_the_stores_clock) {
  const Audit audit = two_machines("", "", 5'000);
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_TRUE(lacks(audit, "no journal holds the store's clock against a machine's"))
      << all_of(audit.lacking);
}

TEST(AuditMachines, with_one_boot_id_are_not_one_if_their_clocks_contradict_each_other) {
  const Audit audit = two_machines("boot", "boot", 1'150);
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_TRUE(lacks(audit, "journal.1, journal.2 name one boot, and their clocks do not agree"))
      << all_of(audit.lacking);
}

TEST(AuditMachines, what_is_wrong_in_one_order_alone_is_inconclusive) {
  Process first{1};
  first.starts(0, "a");
  first.leads(100, term(1));  // believes until 1090
  first.asks(1'000, reference::Acquire{{}, first.who(), 1, 5, Duration::seconds(1)});
  first.renews(1'070, term(1));
  first.believes(1'080, term(1), 2'060);
  Process second{2};
  second.runs_ahead(50'000);
  second.starts(0, "b");
  // Under way for 300 ms, so that nobody can say which of the two ends was when.
  const auto request = second.asks(1'900, reference::Acquire{{}, second.who(), 1, 102, Duration::seconds(1)});
  second.hears(2'200, request, reference::Granted{term(2), Duration::seconds(1)}, 2'051, 2'051);
  second.believes(2'200, term(2), 2'800);
  const Audit audit = audit_of({&first, &second});
  EXPECT_EQ(find_check(audit, "one-believer")->verdict, sim::Verdict::inconclusive);
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_TRUE(lacks(audit, "one-believer, broken in one order")) << all_of(audit.lacking);
}

TEST(AuditMachines, whose_clock_does_not_keep_step_with_the_stores_are_judged_apart) {
  Process first{1};
  first.starts(0, "a");
  first.leads(100, term(1));
  const auto request = first.asks(400, reference::Renew{{}, first.who(), term(1), Duration::seconds(1)});
  first.hears(420, request, reference::Granted{term(1), Duration::seconds(1)}, 700,
              700);  // the store was set
  Process second{2};
  second.runs_ahead(50'000);
  second.starts(0, "b");
  second.leads(2'000, term(2));
  const Audit audit = audit_of({&first, &second});
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_TRUE(lacks(audit, "journal.1: the store's clock and this machine's do not keep step"))
      << all_of(audit.lacking);
  first.believes(430, term(1), 1'400);
  first.commits(1'450, term(1), {fired(500)});
  const Audit wrong = audit_of({&first, &second});
  EXPECT_NE(find_check(wrong, "acts-within-belief")->violation_count, 0U);
  EXPECT_FALSE(wrong.timeline.has_value());
}

// ---- commits and work ----

struct Leader {
  Process process{1};
  Leader() {
    process.starts(0);
    process.leads(100, term(1));
    process.commits(300, term(1), {fired(250)});
    process.begins(310, slot(250), term(1));
    process.ends(320, slot(250));
  }
  Audit audit() const { return audit_of({&process}); }
};

TEST(AuditFires, work_that_began_before_its_commit_was_asked_for) {
  Leader leader;
  leader.process.begins(600, slot(500), term(1));
  leader.process.ends(603, slot(500));
  leader.process.commits(620, term(1), {fired(500)});
  EXPECT_EQ(failing(leader.audit()), (Names{"never-early", "work-was-committed"}));
}

// Before the cut it was granted the lease, which nothing tells now.
TEST(AuditLease, is_not_known_where_a_journal_begins_late) {
  Process one{1};
  one.starts(0);
  one.leads(100, term(1));
  one.commits(300, term(1), {fired(250)});
  Process two{2};
  two.starts(0);
  two.leads(20'000, term(2));
  const std::size_t cut = two.text().size();
  two.commits(20'600, term(2), {fired(20'500)});
  const auto late = audit_texts({one.text(), two.text().substr(cut)}, true, true);
  ASSERT_TRUE(std::holds_alternative<Audit>(late));
  EXPECT_EQ(failing(std::get<Audit>(late)), Names{});
}

TEST(AuditFires, that_were_committed_and_never_began_although_the_leader_went_on) {
  Leader leader;
  leader.process.commits(520, term(1), {fired(500)});
  EXPECT_EQ(leader.audit().verdict, sim::Verdict::pass) << "the next leader may begin it";
  leader.process.commits(770, term(1), {fired(750)});
  leader.process.begins(780, slot(750), term(1));
  leader.process.ends(790, slot(750));
  EXPECT_EQ(failing(leader.audit()), Names{"fires-begin"});
}

TEST(AuditFires, that_never_began_although_the_leader_looked_through_the_outbox) {
  Leader leader;
  leader.process.commits(520, term(1), {fired(500)});
  for (const std::int64_t at : {600, 700}) {
    const auto request = leader.process.asks(at, reference::ReadOutbox{});
    leader.process.hears(at + 10, request, reference::Outbox{}, at + 5, 520);
  }
  EXPECT_EQ(failing(leader.audit()), Names{});
  leader.process.asks(800, reference::ReadDue{}, true);
  EXPECT_EQ(failing(leader.audit()), Names{"fires-begin"});
}

reference::GiveUpEvents given_up(const reference::EventId& event, std::uint32_t attempts) {
  return {{}, Leader{}.process.who(), term(1), {{event, attempts}}};
}

TEST(AuditFires, that_were_acknowledged_although_their_work_was_not_over) {
  using reference::AckEvents;
  const auto failing_after = [](std::optional<WorkResult> result, const reference::Request& ack) {
    Leader leader;
    leader.process.commits(520, term(1), {fired(500)});
    leader.process.begins(530, slot(500), term(1));
    if (result) leader.process.ends(540, slot(500), *result);
    leader.process.asks(550, ack);
    return failing(leader.audit());
  };
  const AckEvents delivered{{}, {{slot(500)}}};
  for (const auto result : {WorkResult::done, WorkResult::stopped, WorkResult::duplicate})
    EXPECT_EQ(failing_after(result, delivered), Names{}) << name_of(result);
  for (const auto result : {WorkResult::fenced, WorkResult::running, WorkResult::failed})
    EXPECT_EQ(failing_after(result, delivered), Names{"work-was-done"}) << name_of(result);
  EXPECT_EQ(failing_after(std::nullopt, delivered), Names{"work-was-done"});
  EXPECT_EQ(failing_after(WorkResult::done, AckEvents{{}, {{slot(250)}}}), Names{}) << "done before";
  EXPECT_EQ(failing_after(WorkResult::done, AckEvents{{}, {{slot(750)}}}), Names{"work-was-done"});
  EXPECT_EQ(failing_after(WorkResult::failed, given_up(slot(500), 1)), Names{});
  EXPECT_EQ(failing_after(WorkResult::failed, given_up(slot(500), 2)), Names{"work-was-done"});
}

TEST(AuditFires, that_began_before_the_journal_does_are_not_judged) {
  Leader leader;
  leader.process.commits(520, term(1), {fired(500)});
  leader.process.begins(530, slot(500), term(1));
  const std::size_t cut = leader.process.text().size();
  leader.process.ends(540, slot(500));
  leader.process.asks(550, reference::AckEvents{{}, {{slot(500)}}});
  leader.process.asks(560, given_up(slot(250), 5), true);
  leader.process.renews(600, term(1));
  EXPECT_EQ(failing(leader.audit()), Names{"work-was-done"});
  const auto late = audit_texts({leader.process.text().substr(cut)}, true, true);
  EXPECT_EQ(failing(std::get<Audit>(late)), Names{});
}

TEST(AuditFires, that_were_done_before_began_somewhere) {
  Leader leader;
  leader.process.commits(520, term(1), {fired(500)});
  leader.process.begins(530, slot(500), term(1));
  leader.process.ends(540, slot(500), WorkResult::duplicate);
  EXPECT_EQ(leader.audit().verdict, sim::Verdict::inconclusive);
}

TEST(AuditFires, slots_that_a_leader_commits_twice) {
  Leader again;
  again.process.commits(400, term(1), {fired(250)});
  const Names found = failing(again.audit());
  EXPECT_NE(std::find(found.begin(), found.end(), "commits-follow"), found.end());
}

TEST(AuditFires, a_commit_whose_answer_was_lost_explains_a_gap) {
  Leader leader;
  leader.process.never_hears(
      560, leader.process.asks(510, reference::CommitFires{{}, leader.process.who(), term(1), {fired(500)}},
                               true));
  const auto outbox = leader.process.asks(570, reference::ReadOutbox{});
  leader.process.hears(590, outbox, reference::Outbox{}, 580, 580);
  leader.process.begins(600, slot(500), term(1));  // it was there
  leader.process.ends(610, slot(500));
  leader.process.commits(770, term(1), {fired(750)});
  leader.process.begins(780, slot(750), term(1));
  leader.process.ends(790, slot(750));
  EXPECT_EQ(failing(leader.audit()), Names{});
  EXPECT_EQ(leader.audit().verdict, sim::Verdict::pass);
}

// The first one was not executed: the leader read that, and asked again, later and for more.
TEST(AuditFires, of_two_commits_whose_answers_were_lost_either_explains_a_gap) {
  const auto failing_from = [](std::int64_t next_ms) {
    Leader leader;
    reference::LedgerRow missed = fired(500);
    missed.to = store_time(1'000);
    missed.what = reference::Disposition::missed;
    missed.slots = 2;
    std::int64_t at = 600;
    for (const reference::LedgerRow& row : {fired(500), missed}) {
      const reference::CommitFires commit{{}, leader.process.who(), term(1), {row}};
      leader.process.never_hears(at + 20, leader.process.asks(at, commit, true));
      at += 30;
    }
    leader.process.renews(700, term(1));
    leader.process.commits(next_ms + 20, term(1), {fired(next_ms)});
    leader.process.begins(next_ms + 30, slot(next_ms), term(1));
    leader.process.ends(next_ms + 40, slot(next_ms));
    return failing(leader.audit());
  };
  EXPECT_EQ(failing_from(750), Names{});
  EXPECT_EQ(failing_from(1'000), Names{});
  EXPECT_EQ(failing_from(900), Names{"commits-follow"});
}

TEST(AuditFires, what_hangs_on_the_lost_end_of_a_journal_is_lacking_and_no_failure) {
  Leader leader;  // and no end
  Process second{2};
  second.starts(0);
  second.leads(1'200, term(2));
  second.begins(1'250, slot(500), term(2));  // the first committed it, perhaps, with its last breath
  second.ends(1'260, slot(500));
  second.commits(1'280, term(2), {fired(750), fired(1'000)});
  for (const std::int64_t ms : {750, 1'000}) {
    second.begins(1'290, slot(ms), term(2));
    second.ends(1'290, slot(ms));
  }
  const Audit audit = audit_of({&leader.process, &second});
  EXPECT_EQ(failing(audit), Names{});
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_TRUE(lacks(audit, "2 commits or work of resource 0")) << all_of(audit.lacking);
  leader.process.write(330, journal::LifeEnded{});
  EXPECT_EQ(failing(audit_of({&leader.process, &second})), (Names{"work-was-committed", "commits-follow"}));
}

// ---- files of one life ----

TEST(AuditFiles, lines_of_one_time_are_in_order_whichever_file_comes_first) {
  Process process{1};
  process.starts(0);
  process.leads(100, term(1));
  process.commits(300, term(1), {fired(250)});
  process.begins(310, slot(250), term(1));
  const std::size_t cut = process.text().size();
  process.ends(310, slot(250));
  const auto found = audit_texts({process.text().substr(cut), process.text().substr(0, cut)});
  const auto* bad = std::get_if<BadJournal>(&found);
  EXPECT_EQ(bad, nullptr) << (bad != nullptr ? bad->message : "");
}

// ---- at least once ----

TEST(AuditAtLeastOnce, work_whose_end_the_store_had_not_heard_of_may_begin_again) {
  Leader leader;  // killed before it told the store
  Process second{2};
  second.starts(0);
  second.leads(1'200, term(2));
  second.begins(1'250, slot(250), term(2));
  second.ends(1'260, slot(250));
  EXPECT_EQ(failing(audit_of({&leader.process, &second})), Names{});

  Leader told;
  const auto ack = told.process.asks(330, reference::AckEvents{});
  EXPECT_EQ(failing(audit_of({&told.process, &second})), Names{}) << "the answer never came";
  told.process.hears(340, ack, reference::Acknowledged{}, 335, 335);
  EXPECT_EQ(failing(audit_of({&told.process, &second})), Names{"no-duplicate-fire"});
}

// Its workers were busy from the time at which it read the outbox: what it read had waited for one of them.
TEST(AuditAtLeastOnce,
     work_may_begin_again_that_waited_for_a_worker_since_before_the_store_heard_of_its_end) {
  for (const bool idle : {false, true}) {
    for (const std::int64_t read : {1'900, 2'100}) {  // the store hears of it at 2,000
      Process one(1), other(2);
      one.starts(1);
      other.starts(1);
      one.leads(100, term(1));
      one.commits(300, term(1), {fired(250)});
      one.begins(310, slot(250), term(1));
      one.ends(400, slot(250));
      other.leads(1'500, term(2));
      other.begins(1'600, slot(500), term(2));
      const auto sweep = other.asks(read - 10, reference::ReadOutbox{});
      other.hears(read + 10, sweep, reference::Outbox{}, read, static_cast<std::uint64_t>(read));
      const auto ack = one.asks(1'990, reference::AckEvents{{}, {{slot(250)}}});
      one.hears(2'010, ack, reference::Acknowledged{}, 2'000, 2'000);
      if (idle) {
        other.ends(2'150, slot(500));
        other.begins(2'200, slot(750), term(2));
      }
      other.begins(2'300, slot(250), term(2));
      other.ends(2'400, slot(250));
      const bool excused = read < 2'000 && !idle;
      EXPECT_EQ(find_check(audit_of({&one, &other}), "no-duplicate-fire")->violation_count, excused ? 0U : 1U)
          << read << (idle ? " idle" : "");
    }
  }
}

TEST(AuditAtLeastOnce, a_life_that_stopped_in_good_order_or_begins_it_again_itself_is_no_excuse) {
  // Of a process that goes on answering clients, the journal ends later; or never, if it is killed then.
  for (const std::optional<std::int64_t> journal_ends : {std::optional(450), std::optional(2'000), {}}) {
    Leader leader;
    leader.process.steps_down(390);
    leader.process.releases(400, term(1));
    leader.process.write(450, Note{Stopped{}});
    if (journal_ends) leader.process.write(*journal_ends, journal::LifeEnded{true});
    Process second{2};
    second.starts(0);
    second.leads(1'200, term(2));
    second.begins(1'250, slot(250), term(2));
    second.ends(1'260, slot(250));
    EXPECT_EQ(failing(audit_of({&leader.process, &second})), Names{"no-duplicate-fire"});
  }

  Leader itself;
  itself.process.begins(400, slot(250), term(1));
  itself.process.ends(410, slot(250));
  EXPECT_EQ(failing(itself.audit()), Names{"no-duplicate-fire"});
}

// Each failure allows one more beginning, and then a life that stopped in good order has hidden nothing. Work that is
// under way, at a node that has lost the lease, may begin again elsewhere.
TEST(AuditAtLeastOnce, work_that_failed_may_begin_again_whoever_it_failed_at) {
  for (const WorkResult first : {WorkResult::failed, WorkResult::done}) {
    for (const bool third_waits : {false, true}) {
      Process one(1), other(2), third(3);
      for (Process* process : {&one, &other, &third}) process->starts(1);
      one.leads(100, term(1));
      one.commits(300, term(1), {fired(250)});
      one.begins(310, slot(250), term(1));
      one.ends(320, slot(250), first);
      one.steps_down(390);
      one.releases(400, term(1));
      one.stops(450);
      other.leads(1'200, term(2));
      other.begins(1'250, slot(250), term(2));
      third.leads(2'500, term(3));
      if (third_waits) {  // until the store has heard that it is done
        other.ends(2'600, slot(250));
        const auto ack = other.asks(2'610, reference::AckEvents{{}, {{slot(250)}}});
        other.hears(2'630, ack, reference::Acknowledged{}, 2'620, 2'620);
        third.begins(2'700, slot(250), term(3));
      } else {
        third.begins(2'550, slot(250), term(3));
        other.ends(2'600, slot(250), WorkResult::failed);
      }
      third.ends(2'800, slot(250));
      const std::uint64_t wrong = first == WorkResult::done ? 2 : third_waits ? 1 : 0;
      EXPECT_EQ(find_check(audit_of({&one, &other, &third}), "no-duplicate-fire")->violation_count, wrong)
          << (first == WorkResult::failed ? "failed" : "done") << (third_waits ? ", and was told" : "");
    }
  }
}

}  // namespace
}  // namespace tenure::lab
