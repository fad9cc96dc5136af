// What people are told of a store that does not answer: once when it lasts, with the place and the request, and once
// when it is over.
#include "adapters/runtime/store_health_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "adapters/runtime/schedules.h"
#include "adapters/sqlite/sqlite_store.h"
#include "tests/adapters/runtime/said.h"
#include "tests/adapters/sqlite/support.h"

namespace tenure {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Said;
using testing::Sqlite;

constexpr std::size_t kAcquire = 0, kReadDue = 7, kCommit = 8;
constexpr Incarnation kNode{{1}, 1}, kOtherNode{{2}, 1};

class StoreHealthReporterTest : public ::testing::Test {
 protected:
  static MonoTime at(std::int64_t ms) { return MonoTime{} + Duration::millis(ms); }
  void ask(std::int64_t ms, std::size_t request, const Answer& answer, Part part = Part::scheduler,
           Incarnation who = kNode) {
    store_health_.answered({who, part, request, at(ms) - Duration::millis(100)}, answer, at(ms));
  }
  // Without the time of day.
  std::vector<std::string> said() {
    std::vector<std::string> lines;
    for (const std::string& line : said_) {
      EXPECT_THAT(line, ContainsRegex("^20..-..-..T..:..:..[.]...Z (info|warning|error): "));
      lines.push_back(line.substr(25));
    }
    said_.clear();
    return lines;
  }
  static Answer works() {
    Answer answer;
    answer.outcome = RequestOutcome::applied;
    return answer;
  }

  std::vector<std::string> said_;
  StoreHealthReporter store_health_{[this](std::string_view words) { said_.emplace_back(words); }};
  const Answer locked_ = rejected(StoreError::busy, "db: locked (Postgres: pid 1)");
  const Answer gone_ = rejected(StoreError::unreachable, "db: it cannot be reached (Postgres: refused)");
};

TEST_F(StoreHealthReporterTest, what_is_over_in_a_moment_is_not_worth_a_word) {
  ask(1'000, kCommit, locked_);
  ask(3'500, kCommit, locked_);
  ask(3'600, kCommit, works());
  ask(9'000, kCommit, locked_);
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(StoreHealthReporterTest, a_lock_that_is_held_is_said_once_and_once_that_it_is_over) {
  for (int ms = 1'000; ms <= 20'000; ms += 500) {
    ask(ms, kCommit, rejected(StoreError::busy, "db: locked (Postgres: pid " + std::to_string(ms) + ")"));
    ask(ms, kReadDue, works());  // reads go on
  }
  EXPECT_THAT(said(),
              ElementsAre("warning: node 1, commit-fires: db: locked (Postgres: pid 4000) (for 3.1s)"));
  ask(20'900, kCommit, works());
  EXPECT_THAT(said(), ElementsAre("info: node 1, commit-fires: works again after 20s: db: locked"));
}

// The reads beside a lock are executed on the same connection.
TEST_F(StoreHealthReporterTest, a_request_without_an_answer_works_again_when_one_of_its_kind_is_answered) {
  const Answer nothing = unknown(StoreError::no_answer, "db: no answer");
  for (int ms = 1'000; ms < 9'000; ms += 1'000) {
    ask(ms, kCommit, nothing);
    ask(ms, kReadDue, works());
  }
  EXPECT_THAT(said(), ElementsAre("warning: node 1, commit-fires: db: no answer (for 100ms)"));
  ask(9'000, kCommit, works());
  EXPECT_THAT(said(), ElementsAre("info: node 1, commit-fires: works again after 8.1s: db: no answer"));
}

TEST_F(StoreHealthReporterTest, two_connections_that_meet_one_cause_say_it_once) {
  ask(1'000, kAcquire, gone_, Part::elector);
  ask(1'000, kReadDue, gone_);
  ask(1'500, kCommit, gone_);
  ask(2'000, kAcquire, gone_, Part::elector);
  EXPECT_THAT(
      said(),
      ElementsAre("error: node 1, acquire: db: it cannot be reached (Postgres: refused) (for 100ms)"));
  ask(3'000, kAcquire, works(), Part::elector);
  EXPECT_THAT(said(), IsEmpty()) << "the other connection is not back";
  ask(5'000, kReadDue, works());  // and with it commits
  EXPECT_THAT(said(), ElementsAre(HasSubstr("works again after 4.1s: db: it cannot be reached")));
}

TEST_F(StoreHealthReporterTest, troubles_of_one_connection_do_not_hide_those_of_the_other) {
  const Answer forbidden = rejected(StoreError::not_permitted, "db: the account may not do this");
  for (int ms = 1'000; ms < 9'000; ms += 1'000) {
    ask(ms, kAcquire, forbidden, Part::elector);
    ask(ms, kCommit, locked_);
  }
  EXPECT_THAT(said(), ElementsAre(HasSubstr("error: node 1, acquire: db: the account may not"),
                                  HasSubstr("warning: node 1, commit-fires: db: locked")));
}

TEST_F(StoreHealthReporterTest, causes_that_alternate_are_said_once_each) {
  for (int ms = 1'000; ms < 60'000; ms += 1'000) ask(ms, kAcquire, ms % 2'000 == 0 ? gone_ : locked_);
  EXPECT_EQ(said().size(), 2u);
}

TEST_F(StoreHealthReporterTest, nodes_speak_for_themselves) {
  ask(1'000, kAcquire, gone_);
  ask(1'000, kAcquire, gone_, Part::scheduler, kOtherNode);
  EXPECT_EQ(said().size(), 2u);
  store_health_.forget(kOtherNode);
  ask(2'000, kAcquire, works());
  EXPECT_THAT(said(), ElementsAre(HasSubstr("info: node 1, acquire: works again")));
}

TEST_F(StoreHealthReporterTest, what_is_asked_no_more_is_over_when_the_connection_works) {
  for (int ms = 1'000; ms < 9'000; ms += 1'000) ask(ms, kCommit, locked_);
  EXPECT_EQ(said().size(), 1u);
  ask(10'000, kReadDue, works());
  EXPECT_THAT(said(), IsEmpty());
  ask(90'000, kReadDue, works());
  EXPECT_EQ(said().size(), 1u);
}

TEST_F(StoreHealthReporterTest, a_hold_is_said_when_it_begins_and_when_it_is_over) {
  Answer due = works();
  reference::Due page;
  due.reply = page;
  ask(1'000, kReadDue, due);
  EXPECT_THAT(said(), IsEmpty());
  page.hold = reference::Hold{StoreTime{} + Duration::hours(1), Duration::minutes(7)};
  due.reply = page;
  for (int ms = 2'000; ms < 9'000; ms += 500) ask(ms, kReadDue, due);
  EXPECT_THAT(said(),
              ElementsAre(HasSubstr("warning: node 1: nothing fires: the store's clock jumped by 420s")));
  Answer cleared = works();
  cleared.reply = reference::HoldSet{};
  ask(9'000, 13, cleared);
  EXPECT_THAT(said(), ElementsAre("info: node 1: the hold is over after 7s: what is due fires"));
}

// A clock that was ahead for a while: what was committed by it is over, however long it takes the clock to come there.
TEST_F(StoreHealthReporterTest, the_end_of_a_hold_says_until_when_slots_are_covered_already) {
  const StoreTime now = StoreTime{} + Duration::hours(9);
  const auto over = [&](std::int64_t ms, StoreTime covered) {
    Answer due = works();
    due.store_time = now;
    due.reply = reference::Due{.segments = {}, .hold = reference::Hold{now, -Duration::hours(1)}};
    ask(ms, kReadDue, due);
    store_health_.covered(kNode, covered);
    due.reply = reference::Due{};
    ask(ms + 1'000, kReadDue, due);
    const std::vector<std::string> lines = said();
    EXPECT_EQ(lines.size(), 2u);
    return lines.empty() ? std::string() : lines.back();
  };
  EXPECT_EQ(over(1'000, now), "info: node 1: the hold is over after 1s: what is due fires");
  EXPECT_EQ(
      over(3'000, now + Duration::hours(1) + Duration::seconds(5)),
      "info: node 1: the hold is over after 1s: what is due fires; slots up to 1970-01-01T10:00:05Z were "
      "covered while the store's clock was ahead, and do not fire again: that is 3605s from now by its "
      "clock");
}

TEST_F(StoreHealthReporterTest, who_leads_is_said_once_by_a_node_that_others_keep_from_leading) {
  Answer refused = works();
  refused.reply =
      reference::Refused{reference::Denial::other_holder, Incarnation{{3}, 1}, 7, Duration::seconds(5)};
  for (int ms = 1'000; ms < 30'000; ms += 5'000) ask(ms, kAcquire, refused, Part::elector);
  EXPECT_THAT(said(), IsEmpty()) << "a handover";
  const std::string words =
      "info: node 1: stands by: node 3 leads over resource 0 (epoch 7). If that is another application, give "
      "each "
      "application a resource of its own";
  for (int ms = 31'000; ms < 300'000; ms += 5'000) ask(ms, kAcquire, refused, Part::elector);
  EXPECT_THAT(said(), ElementsAre(words));
  Answer granted = works();
  granted.reply = reference::Granted{};
  ask(300'000, kAcquire, granted, Part::elector);
  for (int ms = 301'000; ms < 332'000; ms += 5'000) ask(ms, kAcquire, refused, Part::elector);
  EXPECT_THAT(said(), ElementsAre(words)) << "and once more when it has led in between";
}

// With a real store.
class StoreHealthReporterOnSqlite : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/tenure.db";
  Said said_;
};

TEST_F(StoreHealthReporterOnSqlite,
       a_file_that_another_program_locks_is_said_with_its_place_and_when_it_is_free) {
  { ASSERT_NE(testing::store_at(path_), nullptr); }
  Sqlite other(path_);
  other.execute("BEGIN IMMEDIATE");
  Runtime runtime({}, said_.sink());
  SchedulesOptions options{.id = NodeId{1}, .connect = connect_with<SqliteStore>({.path = path_})};
  testing::be_quick(options.election);
  options.election.set("lease_duration", Duration::seconds(6));
  options.election.set("request_timeout",
                       Duration::seconds(2));  // its last tenth is for who is told of the lock
  const Schedules schedules(runtime, options, {});
  EXPECT_TRUE(said_.await("warning: node 1, acquire: " + path_ +
                          ": another process held the lock beyond the deadline"));
  other.execute("ROLLBACK");
  EXPECT_TRUE(said_.await("info: node 1, acquire: works again after "));
  EXPECT_LE(said_.all().size(), 3u) << said_.text();
}

// An election and the schedules of another application, by mistake over one resource.
TEST_F(StoreHealthReporterOnSqlite,
       an_election_that_leads_over_a_resource_with_schedules_says_that_nobody_fires_them) {
  EXPECT_EQ(testing::store_at(path_)->execute(testing::put(1), Duration::seconds(5)).outcome,
            RequestOutcome::applied);
  const auto options = [&](std::uint32_t id, ResourceId resource) {
    ElectionOptions chosen{
        .id = NodeId{id}, .resource = resource, .connect = connect_with<SqliteStore>({.path = path_})};
    testing::be_quick(chosen.parameters);
    return chosen;
  };
  Runtime runtime({}, said_.sink());
  std::atomic<int> led = 0;
  const auto lead = [&](const Term&) { ++led; };
  const Election own(runtime, options(2, ResourceId{9}), lead);
  const Election other(runtime, options(1, testing::kResource), lead);
  EXPECT_TRUE(said_.await("warning: node 1 leads over resource 1, which has schedules, and it fires none"));
  for (int i = 0; i < 3'000 && led < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(led, 2);
  EXPECT_EQ(said_.all().size(), 1u) << said_.text();
}

TEST_F(StoreHealthReporterOnSqlite,
       a_clock_that_was_an_hour_ahead_leaves_an_hour_of_slots_that_were_covered) {
  reference::PutSchedule often = testing::put(1);
  often.definition.recurrence = Interval{StoreTime{}, Duration::millis(500)};
  EXPECT_EQ(testing::store_at(path_)->execute(often, Duration::seconds(5)).outcome, RequestOutcome::applied);
  std::atomic<std::int64_t> ahead = 0;  // seconds
  Runtime runtime({}, said_.sink());
  SchedulesOptions options{
      .id = NodeId{1},
      .resource = testing::kResource,
      .connect = connect_with<SqliteStore>(
          {.path = path_, .clock = [&] { return host_clock() + Duration::seconds(ahead); }})};
  testing::be_quick(options.election);
  options.scheduling.set("poll_period", Duration::millis(100));
  options.scheduling.set("clock_hold", Duration::millis(500));
  std::atomic<int> fires = 0;
  const Schedules schedules(runtime, options, [&](const WorkItem&, const WorkDoneCallback& done) {
    ++fires;
    done(WorkResult::done);
  });
  auto await_a_fire = [&, wait = 0]() mutable {
    for (const int before = fires; fires == before && wait < 3'000; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  await_a_fire();
  ahead = 3'600;
  EXPECT_TRUE(said_.await("the hold is over"));
  EXPECT_EQ(said_.text().find("do not fire again"), std::string::npos) << said_.text();
  await_a_fire();  // of what the hour ahead made due
  ahead = 0;
  EXPECT_TRUE(
      said_.await("were covered while the store's clock was ahead, and do not fire again: that is 3"));
}

TEST_F(StoreHealthReporterOnSqlite, a_request_that_nobody_answers_is_said_with_what_was_asked_and_where) {
  // A database that has stopped to answer.
  class Stuck final : public StoreBackend {
   public:
    Answer execute(const reference::Request&, Duration) override {
      std::this_thread::sleep_for(std::chrono::seconds(2));
      return rejected(StoreError::busy, "late");
    }
    std::string place() const override { return "db.example:5432/shop"; }
    std::optional<StoreAudit> audit(ResourceId) override { return std::nullopt; }
  };
  Runtime runtime({}, said_.sink());
  SchedulesOptions options{
      .id = NodeId{1}, .connect = [] { return ConnectionOpened(std::unique_ptr<StoreBackend>(new Stuck)); }};
  testing::be_quick(options.election);
  const Schedules schedules(runtime, options, {});
  EXPECT_TRUE(
      said_.await("node 1, acquire: db.example:5432/shop: no answer to acquire by the request's deadline"));
}

}  // namespace
}  // namespace tenure
