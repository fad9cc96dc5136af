// The store's positions: where all changes of nodes and of their clients are told nothing is missing, and what is left
// out or made up shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "lab/audit/audit.h"
#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Matcher;
using ::testing::StartsWith;
using Change = journal::ClientChange;

// SQLite counts all changes together, Postgres those of leases apart.
enum class Counts : std::uint8_t { together, apart };

// A leader, and an instance that leads nothing. Clients ask both.
class Instances {
 public:
  // A client's line, by its number from 0 on, before it is written. False: it is left out, though the store did it.
  using Edit = std::function<bool(int, Change&)>;

  // What the leader did and does not tell, by its number; and whether it heard no answer to its release, or began a run
  // that nobody had asked for.
  struct But {
    std::set<int> left_out = {};
    bool release_in_doubt = false;
    bool invents_a_run = false;
  };

  explicit Instances(Counts counts, Edit edit = {}) : Instances(counts, std::move(edit), But{}) {}
  Instances(Counts counts, Edit edit, But but)
      : counts_(counts), edit_(std::move(edit)), but_(std::move(but)) {
    leader_.starts(0, "boot", {{"max_running", 1}});
    other_.starts(5);
    client(other_, 50, reference::RegisterNode{});  // 0
    lease(100, reference::Acquire{{}, leader_.who(), 0, term(1).nonce, Duration::seconds(1)},
          reference::Granted{term(1), Duration::seconds(1)});
    leader_.believes(110, term(1), 1'090);
    client(other_, 150, reference::PutNamed{}, 1);  // kEdit
    client(leader_, 160, reference::AckEvents{});   // 2
    reads_feed(180);
    commits(200);
    client(leader_, 250, reference::ClaimExecutions{});                                    // kClaim
    client(other_, 300, reference::TriggerSchedule{}, std::nullopt, Change::Run{{7}, 9});  // kRun
    leader_.reads(304, reference::ReadOutbox{}, reference::Outbox{}, rest_);
    begins_run(315);
    if (but_.invents_a_run) begins_run(326, 99);
    renews(350);
    client(leader_, 400, reference::AckEvents{});     // 5
    client(other_, 450, reference::EndExecutions{});  // 6
    commits(500);
    renews(600);
    client(other_, 650, reference::Redrive{});  // 7
    renews(700);
    leader_.steps_down(720);
    lease(800, reference::Release{{}, leader_.who(), term(1)}, reference::Released{});
    client(other_, 850, reference::ClaimExecutions{});  // 8
    client(leader_, 900, reference::EndExecutions{});   // kLast
    for (Process* one : {&leader_, &other_}) one->stops(5'000);
  }

  Audit audit() const { return std::get<Audit>(audit_texts({leader_.text(), other_.text()}, true)); }
  // The number of changes that nobody tells, and between which positions the first is.
  std::string missing() const {
    for (const std::string& one : audit().lacking)
      if (const auto end = one.find(" of the store"); one.find("told by no journal") != std::string::npos)
        return one.substr(0, end);
    return {};
  }

 private:
  void lease(std::int64_t at, reference::Request request, reference::Reply reply) {
    lease_ = std::max(lease_, rest_) + 1;
    tells(at, std::move(request), std::move(reply), lease_);
  }
  void renews(std::int64_t at) {
    ++lease_;
    tells(at, reference::Renew{{}, leader_.who(), term(1), Duration::seconds(1)},
          reference::Granted{term(1), Duration::seconds(1)}, lease_);
    leader_.believes(at + 10, term(1), at + 990);
  }
  void commits(std::int64_t at) {
    rest_ = std::max(lease_, rest_) + 1;
    const StoreTime from = std::exchange(covered_, store_time(at));
    const reference::LedgerRow row{.schedule = {7},
                                   .version = 1,
                                   .from = from,
                                   .to = covered_,
                                   .slot = from,
                                   .due = from,
                                   .what = reference::Disposition::missed,
                                   .slots = 0};
    tells(at, reference::CommitFires{{}, leader_.who(), term(1), {row}},
          reference::Committed{{reference::RowResult::covered}}, rest_);
  }
  void tells(std::int64_t at, reference::Request request, reference::Reply reply, std::uint64_t position) {
    if (counts_ == Counts::together) rest_ = lease_ = std::max(lease_, rest_);
    if (but_.left_out.contains(acts_++)) return;
    const bool releases = std::holds_alternative<reference::Release>(request);
    const auto asked = leader_.asks(at - 10, std::move(request));
    if (releases && but_.release_in_doubt)
      leader_.never_hears(at + 10, asked);
    else
      leader_.hears(at + 10, asked, std::move(reply), at, position);
  }
  void client(Process& who, std::int64_t at, const reference::Request& request,
              std::optional<std::uint64_t> change_seq = {}, std::optional<Change::Run> run = {}) {
    ++rest_;
    if (counts_ == Counts::together) lease_ = rest_;
    Change change{.kind = request.index(),
                  .resource = {},
                  .run = run,
                  .done = Change::Done{store_time(at), rest_, change_seq},
                  .asked = MonoTime::from_ns((at - 5) * 1'000'000)};
    if (!edit_ || edit_(told_, change)) who.write(at + 5, change);
    ++told_;
  }
  // It changes nothing.
  void reads_feed(std::int64_t at) {
    reference::Change change;
    change.seq = 1;
    change.segment = {{7}, 1, store_time(150), StoreTime::max(), store_time(150)};
    change.definition.recurrence = Interval{store_time(0), Duration::seconds(1'000)};
    leader_.reads_changes(at, {change}, rest_);
  }
  void begins_run(std::int64_t at, std::uint64_t number = 9) {
    const reference::EventId run{{7}, store_time(300), number};
    leader_.write(at, WorkItem{{}, run, term(1), true});
    leader_.ends(at + 10, run);
  }

  Counts counts_;
  Edit edit_;
  But but_;
  Process leader_{1};
  Process other_{2};
  StoreTime covered_ = store_time(150);
  std::uint64_t lease_ = 0;
  std::uint64_t rest_ = 0;
  int told_ = 0;
  int acts_ = 0;
};

constexpr Counts kBoth[] = {Counts::together, Counts::apart};
// Clients' lines.
constexpr int kEdit = 1;   // which the change feed tells of
constexpr int kClaim = 3;  // at 250 ms
constexpr int kRun = 4;    // which the leader began
constexpr int kLast = 9;   // nothing comes after it that would show that it is missing

Instances::Edit without(int which) {
  return [which](int number, Change&) { return number != which; };
}
// Of which it is not known whether it was done.
Instances::Edit in_doubt(int which, std::int64_t asked_ms) {
  return [which, asked_ms](int number, Change& change) {
    if (number != which) return true;
    change.done.reset();
    change.asked = MonoTime::from_ns(asked_ms * 1'000'000);
    return true;
  };
}
Instances::Edit both(const Instances::Edit& one, const Instances::Edit& other) {
  return [one, other](int number, Change& change) { return one(number, change) && other(number, change); };
}
Instances::Edit at_position(int which, std::uint64_t position) {
  return [which, position](int number, Change& change) {
    if (number == which) change.done->position = position;
    return true;
  };
}

TEST(AuditClientChanges, that_are_all_told_leave_no_gap) {
  for (const Counts counts : kBoth) {
    const Audit audit = Instances(counts).audit();
    EXPECT_THAT(audit.lacking, IsEmpty());
    EXPECT_THAT(failing(audit), IsEmpty());
    EXPECT_EQ(audit.verdict, sim::Verdict::pass);
  }
}

TEST(AuditClientChanges, each_that_is_left_out_is_missed_unless_others_tell_of_it) {
  for (const Counts counts : kBoth)
    for (int which = 1; which < kLast; ++which) {
      const bool others_tell = which == kEdit || which == kRun;
      EXPECT_THAT(Instances(counts, without(which)).missing(),
                  others_tell ? Matcher<std::string>(IsEmpty())
                              : StartsWith("a change of resource 0 is told by no journal"))
          << which;
    }
}

// The leader's commits and renewals. Apart, the release comes after all that was written, so that the last renewal does
// not show.
TEST(AuditPositions, each_act_of_a_leader_that_is_left_out_is_missed) {
  for (const Counts counts : kBoth)
    for (int act = 1; act <= 5; ++act) {
      const bool shows = counts == Counts::together || act < 5;
      EXPECT_THAT(Instances(counts, {}, {{act}}).missing(),
                  shows ? StartsWith("a change of resource 0 is told by no journal")
                        : Matcher<std::string>(IsEmpty()))
          << act;
    }
  EXPECT_THAT(Instances(Counts::together, {}, {{1, 2, 3}}).missing(),
              StartsWith("3 changes of resource 0 are told by no journal"));
}

// It may have moved the count of leases on to that of the rest.
TEST(AuditPositions, a_release_in_doubt_explains_its_own_position_and_no_other) {
  for (const Counts counts : kBoth) {
    EXPECT_THAT(Instances(counts, {}, {{}, true}).missing(), IsEmpty());
    EXPECT_THAT(Instances(counts, {}, {{3}, true}).missing(),
                StartsWith("a change of resource 0 is told by no journal"));
  }
}

// A standby reads the change feed before an edit, during it, and after it.
TEST(AuditPositions, a_read_that_began_before_an_edit_and_took_its_time_after_it_is_no_gap) {
  reference::Change edit;
  edit.seq = 1;
  edit.segment = {{7}, 1, store_time(120), StoreTime::max(), store_time(120)};
  edit.definition.recurrence = Interval{store_time(0), Duration::seconds(1'000)};
  Process standby(1);
  standby.starts(0);
  standby.reads_changes(100, {}, 0);
  standby.reads_changes(130, {}, 0);
  standby.reads_changes(160, {edit}, 1);
  const auto audited = std::get<Audit>(audit_texts({standby.text()}, true));
  for (const std::string& lacks : audited.lacking)
    EXPECT_EQ(lacks.find("told by no journal"), std::string::npos) << lacks;
}

// What the change feed tells of, and what a leader began, explains its own change and no other.
TEST(AuditClientChanges, what_others_tell_of_explains_no_other_change) {
  for (const Counts counts : kBoth)
    for (int which = 2; which < kLast; ++which) {
      if (which == kRun) continue;
      for (const int told : {kEdit, kRun})
        EXPECT_THAT(Instances(counts, both(without(told), without(which))).missing(),
                    StartsWith("a change of resource 0 is told by no journal"))
            << told << " " << which;
    }
}

TEST(AuditClientChanges, one_in_doubt_explains_one_change_after_it_was_asked) {
  for (const Counts counts : kBoth) {
    for (int which = 0; which <= kLast; ++which)
      EXPECT_THAT(Instances(counts, in_doubt(which, 60)).missing(), IsEmpty()) << which;
    EXPECT_THAT(Instances(counts, both(in_doubt(5, 105), without(6))).missing(),
                StartsWith("a change of resource 0 is told by no journal"));
    // The leader had heard of 350 ms, and of 200 ms.
    const auto claim_and = [&](std::int64_t asked_ms) {
      return Instances(counts, both(in_doubt(kLast, asked_ms), without(kClaim))).missing();
    };
    EXPECT_THAT(claim_and(365), StartsWith("a change of resource 0 is told by no journal"));
    EXPECT_THAT(claim_and(205), IsEmpty());
  }
}

// Leases 1 to 4, and then a commit: 5, of which no answer came. The next lease is 6, and what a client changes then,
// too.
TEST(AuditClientChanges, behind_a_lost_commit_are_not_missed_twice) {
  Process leader(1), other(2);
  for (Process* one : {&leader, &other}) one->starts(0);
  const reference::Granted granted{term(1), Duration::seconds(1)};
  const auto acquired =
      leader.asks(90, reference::Acquire{{}, leader.who(), 0, term(1).nonce, Duration::seconds(1)});
  leader.hears(110, acquired, granted, 100, 1);
  for (std::uint64_t position = 2; position <= 4; ++position) {
    const auto at = static_cast<std::int64_t>(position) * 100;
    const auto renewed =
        leader.asks(at - 10, reference::Renew{{}, leader.who(), term(1), Duration::seconds(1)});
    leader.hears(at + 10, renewed, granted, at, position);
  }
  const auto client = [&](std::int64_t at, std::uint64_t position) {
    const reference::Request claim = reference::ClaimExecutions{};
    other.write(at + 5, Change{.kind = claim.index(),
                               .resource = {},
                               .run = {},
                               .done = Change::Done{store_time(at), position, {}},
                               .asked = {}});
  };
  client(420, 1);
  const auto lost = leader.asks(450, reference::CommitFires{{}, leader.who(), term(1), {}});
  leader.never_hears(900, lost);
  const auto next =
      other.asks(2'990, reference::Acquire{{}, other.who(), 1, term(2).nonce, Duration::seconds(1)});
  other.hears(3'010, next, reference::Granted{term(2), Duration::seconds(1)}, 3'000, 6);
  client(3'100, 6);
  for (Process* one : {&leader, &other}) one->stops(5'000);
  const auto audited = std::get<Audit>(audit_texts({leader.text(), other.text()}, true));
  for (const std::string& lacks : audited.lacking)
    EXPECT_EQ(lacks.find("told by no journal"), std::string::npos) << lacks;
}

TEST(AuditClientChanges, a_run_that_nobody_asked_for_is_a_violation) {
  for (const Counts counts : kBoth) {
    EXPECT_THAT(failing(Instances(counts, {}, {{}, false, true}).audit()),
                ElementsAre("runs-were-asked-for"));
    // The position of the claim may be that of the run.
    EXPECT_THAT(failing(Instances(counts, without(kClaim), {{}, false, true}).audit()), IsEmpty());
    EXPECT_THAT(failing(Instances(counts, both(without(kClaim), without(kRun)), {{}, false, true}).audit()),
                IsEmpty());
    // What the store was asked for later explains no run of before.
    EXPECT_THAT(failing(Instances(counts, without(5), {{}, false, true}).audit()),
                ElementsAre("runs-were-asked-for"));
  }
}

// Apart, the first commit of a term takes up the lease's count: a run may hide there, and is begun soon.
TEST(AuditClientChanges, a_run_that_nobody_asked_for_hides_only_before_a_commit) {
  for (const bool soon : {true, false}) {
    Process leader(1);
    leader.starts(0, "boot", {{"max_running", 10}, {"destination_running", 10}});
    reference::Change change;
    change.seq = 1;
    change.segment = {{7}, 1, store_time(50), StoreTime::max(), store_time(50)};
    change.definition.recurrence = Interval{store_time(0), Duration::seconds(1'000)};
    const reference::Request put = reference::PutNamed{};
    leader.write(55, Change{.kind = put.index(), .resource = {}, .done = Change::Done{store_time(50), 1, 1}});
    leader.hears(
        110, leader.asks(90, reference::Acquire{{}, leader.who(), 0, term(1).nonce, Duration::seconds(20)}),
        reference::Granted{term(1), Duration::seconds(20)}, 100, 2);
    leader.believes(110, term(1), 20'090);
    leader.reads_changes(140, {change}, 1);
    leader.reads(200, reference::ReadOutbox{}, reference::Outbox{}, 1);
    leader.hears(310, leader.asks(290, reference::CommitFires{{}, leader.who(), term(1), {}}, true),
                 reference::Committed{}, 300, 3);
    leader.reads(400, reference::ReadOutbox{}, reference::Outbox{}, 3);
    const std::int64_t at = soon ? 500 : 6'000;
    const reference::EventId run{{7}, store_time(250), 99};
    leader.write(at, WorkItem{{}, run, term(1), true});
    leader.ends(at + 10, run);
    leader.steps_down(10'000);
    leader.stops(10'100);
    const Audit audit = std::get<Audit>(audit_texts({leader.text()}, true));
    const std::vector<std::string> fails = failing(audit);
    EXPECT_EQ(std::count(fails.begin(), fails.end(), "runs-were-asked-for"), soon ? 0 : 1);
  }
}

TEST(AuditClientChanges, one_run_in_doubt_explains_one_change_however_often_it_was_asked_for) {
  for (const Counts counts : kBoth) {
    const auto asked_again = [](int number, Change& change) {
      if (number != 5 && number != 6) return true;
      const reference::Request trigger = reference::TriggerSchedule{};
      change.kind = trigger.index();
      change.run = Change::Run{{7}, 10};
      change.done.reset();
      change.asked = MonoTime::from_ns(60'000'000);
      return true;
    };
    EXPECT_THAT(Instances(counts, asked_again).missing(),
                StartsWith("a change of resource 0 is told by no journal"));
  }
}

TEST(AuditClientChanges, an_edit_or_a_run_in_doubt_that_others_tell_of_explains_no_other_change) {
  for (const Counts counts : kBoth)
    for (const int told : {kEdit, kRun})
      EXPECT_THAT(Instances(counts, both(in_doubt(told, 60), without(6))).missing(),
                  StartsWith("a change of resource 0 is told by no journal"))
          << told;
}

TEST(AuditClientChanges, a_position_that_another_change_has_is_a_violation) {
  for (const Counts counts : kBoth) {
    const std::uint64_t of_commit = counts == Counts::together ? 5 : 4;
    const Audit audit = Instances(counts, at_position(kClaim, of_commit)).audit();
    EXPECT_THAT(failing(audit), ElementsAre("positions-once"));
    EXPECT_EQ(audit.verdict, sim::Verdict::fail);
    const sim::CheckResult* check = find_check(audit, "positions-once");
    ASSERT_NE(check, nullptr);
    EXPECT_THAT(
        check->violations.front().message,
        AllOf(StartsWith("position " + std::to_string(of_commit) + " of resource 0 was given twice: to "),
              HasSubstr("commit-fires of n1"), HasSubstr("claim-executions of a client of n1")));
  }
}

// The store may have failed over after the release, and have given the position anew.
TEST(AuditClientChanges, a_position_that_is_given_twice_after_the_last_grant_is_no_pass) {
  for (const Counts counts : kBoth) {
    std::uint64_t position = 0;
    Instances(counts, [&](int number, Change& change) {
      if (number == kLast - 1) position = change.done->position;
      return true;
    });
    const Audit audit = Instances(counts, at_position(kLast, position)).audit();
    EXPECT_THAT(failing(audit), IsEmpty());
    EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
    EXPECT_THAT(audit.lacking, ElementsAre(HasSubstr("was given twice")));
  }
}

TEST(AuditClientChanges, a_position_that_is_too_high_leaves_a_gap) {
  for (const Counts counts : kBoth)
    EXPECT_EQ(Instances(counts, at_position(kLast, 100)).audit().verdict, sim::Verdict::inconclusive);
}

// They are written when the loop comes to it, so they say nothing of the store's clock.
TEST(AuditClientChanges, are_no_measure_of_the_stores_clock) {
  Process far{2};
  far.runs_ahead(1'000'000);
  far.starts(0, "another boot");
  const auto looks = far.asks(140, reference::ReadDue{});
  far.hears(160, looks, reference::Due{}, 150, 150);
  far.leads(300, term(2));
  Process leader{1};
  leader.starts(0);
  leader.leads(100, term(1));
  leader.steps_down(150);
  leader.releases(200, term(1));
  const auto audited = [&] {
    auto texts = audit_texts({leader.text(), far.text()});
    return std::get<Audit>(std::move(texts));
  };
  EXPECT_EQ(audited().verdict, sim::Verdict::pass);
  const reference::Request claim = reference::ClaimExecutions{};
  leader.write(9'000,
               Change{.kind = claim.index(), .resource = {}, .done = Change::Done{store_time(250), 250}});
  EXPECT_THAT(audited().lacking, IsEmpty());
  EXPECT_EQ(audited().verdict, sim::Verdict::pass);
}

}  // namespace
}  // namespace tenure::lab
