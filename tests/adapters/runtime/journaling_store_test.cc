// What a program asks the store besides its nodes, in the journal.
#include "adapters/runtime/journaling_store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/runtime/schedules.h"
#include "adapters/sqlite/sqlite_store.h"
#include "core/journal/kinds.h"
#include "lab/audit/audit.h"
#include "tests/adapters/runtime/said.h"
#include "tests/support/temporary.h"

namespace tenure {
namespace {

constexpr MonoTime kAsked = MonoTime::from_ns(5'000);
constexpr StoreTime kAt = StoreTime::from_ns(7'000'000);

Answer changed(reference::Reply reply) {
  Answer answer;
  answer.outcome = RequestOutcome::applied;
  answer.store_time = kAt;
  answer.position = 12;
  answer.changed = true;
  answer.reply = std::move(reply);
  return answer;
}

TEST(JournalingStore, tells_the_position_of_what_was_changed) {
  const auto told =
      client_change(reference::EndExecutions{{6}, {}}, changed(reference::ExecutionStates{}), kAsked);
  ASSERT_TRUE(told && told->done);
  EXPECT_EQ(journal::kRequestKinds.at(told->kind), "end-executions");
  EXPECT_EQ(told->resource, ResourceId{6});
  EXPECT_EQ(told->done->store_time, kAt);
  EXPECT_EQ(told->done->position, 12U);
  EXPECT_FALSE(told->done->change_seq);
  EXPECT_FALSE(told->run);
}

TEST(JournalingStore, tells_nothing_of_what_changed_nothing) {
  Answer nothing = changed(reference::ClaimedExecutions{});
  nothing.changed = false;
  EXPECT_FALSE(client_change(reference::ClaimExecutions{}, nothing, kAsked));
  const Answer refused = rejected(StoreError::busy, "later");
  EXPECT_FALSE(client_change(reference::ClaimExecutions{}, refused, kAsked));
  const Answer lost = unknown(StoreError::lost, "gone");
  EXPECT_FALSE(client_change(reference::ReadNamed{}, lost, kAsked)) << "it only reads";
  EXPECT_FALSE(client_change(reference::Renew{}, changed(reference::Granted{}), kAsked)) << "a node's";
}

TEST(JournalingStore, tells_of_what_may_have_been_changed_when_it_was_asked) {
  const Answer lost = unknown(StoreError::lost, "gone");
  const auto told = client_change(reference::Redrive{{6}, {}}, lost, kAsked);
  ASSERT_TRUE(told);
  EXPECT_FALSE(told->done);
  EXPECT_EQ(told->asked, kAsked);
}

// A run is answered with the latest edit, which is not its own.
TEST(JournalingStore, tells_the_number_of_an_edit_and_which_run_was_asked_for) {
  const auto put = client_change(reference::PutNamed{}, changed(reference::NamedEdited{{}, 4}), kAsked);
  EXPECT_EQ(put->done->change_seq, 4U);
  const auto gone = client_change(reference::DeleteSchedule{}, changed(reference::Edited{2, 5}), kAsked);
  EXPECT_EQ(gone->done->change_seq, 5U);
  const journal::ClientChange::Run run{{8}, 9};
  const auto trigger = client_change(reference::TriggerSchedule{{}, run.schedule, run.number, kAt},
                                     changed(reference::Edited{2, 5}), kAsked);
  EXPECT_EQ(trigger->run, run);
  EXPECT_FALSE(trigger->done->change_seq);
  const auto backfill = client_change(reference::BackfillSchedule{{}, run.schedule, run.number, {kAt}},
                                      changed(reference::Edited{2, 5}), kAsked);
  EXPECT_EQ(backfill->run, run);
}

class JournalingStoreTest : public ::testing::Test {
 protected:
  JournalSink sink() {
    return [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      text_.append(line) += '\n';
      written_.notify_all();
    };
  }
  // Until there is a line with these words. False: not within half a minute.
  bool await(const std::string& words) {
    std::unique_lock lock(mutex_);
    return written_.wait_for(lock, std::chrono::seconds(30),
                             [&] { return text_.find(words) != std::string::npos; });
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  Connect connect() { return connect_with<SqliteStore>({.path = folder_.path() + "/tenure.db"}); }
  HostedNode node() {
    return {.node = std::make_unique<Instance>(
                make_election(NodeId{1}, {}, ElectionOptions::default_election()), nullptr),
            .id = NodeId{1},
            .connect = connect(),
            .work = {},
            .observe = {},
            .has_clients = true};
  }
  static void put(StoreBackend& store, std::uint32_t schedule) {
    const reference::PutSchedule asked{
        {}, {schedule}, 0, {.recurrence = Interval{.start = {}, .period = Duration::hours(1)}}};
    EXPECT_EQ(store.execute(asked, Duration::seconds(5)).outcome, RequestOutcome::applied);
  }

  testing::TemporaryFolder folder_;
  std::mutex mutex_;
  std::condition_variable written_;
  std::string text_;
};

TEST_F(JournalingStoreTest, what_is_changed_before_a_life_and_after_it_is_in_its_journal) {
  {
    Runtime runtime(sink());
    const auto client = std::get<std::unique_ptr<StoreBackend>>(told(connect(), runtime)());
    put(*client, 1);
    SchedulesOptions options{.id = NodeId{1}, .connect = connect()};
    options.has_clients = true;
    const Schedules schedules(runtime, std::move(options),
                              [](const WorkItem&, const WorkDoneCallback& done) { done(WorkResult::done); });
    ASSERT_TRUE(await("\"event\":\"believes\""));
    put(*client, 2);
    runtime.stop();
    ASSERT_TRUE(runtime.wait(Duration::seconds(30)));
    put(*client, 3);
    put(*client, 3);  // as it is
  }
  auto read = lab::read_journal("journal", text());
  auto* journal = std::get_if<lab::NodeJournal>(&read);
  ASSERT_NE(journal, nullptr) << std::get<lab::BadJournal>(read).message;
  std::vector<std::uint64_t> edits;
  for (const lab::PlacedLine& placed : journal->lines)
    if (const auto* change = std::get_if<journal::ClientChange>(&placed.line.event))
      edits.push_back(change->done->change_seq.value());
  EXPECT_EQ(edits, (std::vector<std::uint64_t>{1, 2, 3}));
  const auto* ended = std::get_if<journal::LifeEnded>(&journal->lines.back().line.event);
  ASSERT_NE(ended, nullptr) << "it is the last line";
  EXPECT_TRUE(ended->stopped);
  const auto audited = lab::audit({std::move(*journal)});
  const auto& audit = std::get<lab::Audit>(audited);
  EXPECT_EQ(audit.verdict, sim::Verdict::pass) << (audit.lacking.empty() ? "" : audit.lacking.front());
}

TEST_F(JournalingStoreTest, a_life_that_is_abandoned_ends_after_what_was_changed) {
  {
    Runtime runtime(sink());
    runtime.add(node());
    const auto client = std::get<std::unique_ptr<StoreBackend>>(told(connect(), runtime)());
    put(*client, 1);
  }
  const std::string all = text();
  const std::size_t change = all.find("\"event\":\"client\"");
  ASSERT_NE(change, std::string::npos);
  EXPECT_NE(all.find("\"event\":\"died\",\"how\":\"abandoned\"", change), std::string::npos);
}

// More than the loop writes at once, and more than may wait.
TEST_F(JournalingStoreTest, what_waits_for_a_life_is_written_when_it_has_begun_and_what_is_too_much_is_said) {
  constexpr std::size_t kMost = 100'000;
  std::size_t told = 0;  // of the loop's thread
  testing::Said said;
  {
    Runtime runtime([&](std::string_view line) { told += line.find("\"event\":\"client\"") != line.npos; },
                    said.sink());
    const reference::Request claim = reference::ClaimExecutions{};
    for (std::size_t i = 0; i < kMost + 3; ++i) runtime.tell({.kind = claim.index(), .resource = {}});
    runtime.add(node());
    EXPECT_TRUE(said.await("some changes that clients made will not be in it"));
  }
  EXPECT_EQ(told, kMost);
}

TEST_F(JournalingStoreTest, what_no_life_was_there_for_is_said_at_the_end) {
  testing::Said said;
  {
    Runtime runtime([](std::string_view) {}, said.sink());
    const reference::Request claim = reference::ClaimExecutions{};
    for (int i = 0; i < 2; ++i) runtime.tell({.kind = claim.index(), .resource = {}});
  }
  EXPECT_TRUE(said.await("2 changes that clients made are in no journal"));
}

}  // namespace
}  // namespace tenure
