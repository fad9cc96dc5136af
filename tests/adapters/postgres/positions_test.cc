// What an answer's position says: who executes requests in this order is told the same (adapters/store/answer.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/adapters/postgres/cluster.h"

namespace tenure::pgtest {
namespace {

constexpr ScheduleId kHourly{1};

class PostgresPositions : public ::testing::Test {
 protected:
  Answer ask(const reference::Request& request) {
    Answer answer = store_->execute(request, kPatience);
    EXPECT_EQ(outcome(answer), "applied") << answer.message;
    return answer;
  }
  Token lead(Duration duration) {
    const Definition definition{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
    ask(reference::PutSchedule{kResource, kHourly, 0, definition});
    return std::get<reference::Granted>(ask(reference::Acquire{kResource, node(1), 0, 7, duration}).reply)
        .token;
  }
  // One row, of a segment whose cursor is elsewhere.
  reference::CommitFires misplaced(const Token& token) const {
    reference::LedgerRow row;
    row.schedule = kHourly;
    row.version = 1;
    row.to = StoreTime{} + kSecond;
    return {kResource, node(1), token, {row}};
  }

  FreshDatabase database_;
  std::unique_ptr<PostgresStore> store_ = database_.open();
};

// Renewals have stamps of their own, and an edit does not wait for them. A commit looks at both the lease and the
// schedules: whatever it found there, even if it changed nothing, has to come before the next edit.
TEST_F(PostgresPositions, an_edit_comes_after_a_commit_that_found_its_rows_elsewhere) {
  const Token token = lead(Duration::minutes(10));
  for (int i = 0; i < 5; ++i) ask(reference::Renew{kResource, node(1), token, Duration::minutes(10)});
  const Answer moved = ask(misplaced(token));
  EXPECT_EQ(std::get<reference::Committed>(moved.reply).rows, std::vector{reference::RowResult::moved});
  const Answer edit = ask(reference::DeleteSchedule{kResource, kHourly, 1});
  EXPECT_GT(edit.position, moved.position);
  const Answer gone = ask(misplaced(token));
  EXPECT_EQ(std::get<reference::Committed>(gone.reply).rows, std::vector{reference::RowResult::no_segment});
  EXPECT_GE(gone.position, edit.position);
}

TEST_F(PostgresPositions, a_commit_that_waited_while_its_lease_was_renewed_is_not_told_that_it_has_expired) {
  const Token token = lead(Duration::seconds(7));
  Raw edits(database_.connection());
  EXPECT_EQ(edits.ask("BEGIN; SELECT resource FROM tenure.head FOR UPDATE"), "1");
  Raw commit(database_.connection());
  commit.send(fmt::format(
      "SELECT coalesce((tenure.commit_fires(60000, 1, 1, 1, {}, {}, 7, '{{1}}', '{{1}}', '{{0}}', "
      "'{{1000000}}', '{{0}}', '{{1}}', '{{0}}', '{{0}}', '{{1}}')).why::text, 'not refused')",
      token.branch, token.epoch));
  Raw watch(database_.connection());
  while (watch.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") != "1") {
  }
  ask(reference::Renew{kResource, node(1), token, Duration::minutes(10)});
  EXPECT_EQ(watch.ask("SELECT pg_sleep(7.1)"),
            "");  // what the commit read of the lease when it began is over by now
  EXPECT_EQ(edits.ask("COMMIT"), "");
  EXPECT_EQ(commit.receive(), "not refused");
}

}  // namespace
}  // namespace tenure::pgtest
