// A transaction of the user's own, in the store's file, goes through under its term alone.
#include "adapters/sqlite/fence.h"

#include <sqlite3.h>

#include <filesystem>
#include <memory>

#include "tests/adapters/sqlite/support.h"

namespace tenure::testing {
namespace {

constexpr Incarnation kLeader{{1}, 1};
constexpr Incarnation kNext{{2}, 1};
constexpr Duration kLease = Duration::seconds(60);

class SqliteFence : public ::testing::Test {
 protected:
  SqliteFence() {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    user_.reset(db);
    run("CREATE TABLE orders (number INTEGER)");
  }
  Token acquire(Incarnation who, std::uint64_t seen) {
    const Answer answer =
        store_->execute(reference::Acquire{kResource, who, seen, 7 + seen, kLease}, kSecond);
    const auto* granted = std::get_if<reference::Granted>(&answer.reply);
    EXPECT_NE(granted, nullptr) << answer.message;
    return granted == nullptr ? Token{} : granted->token;
  }
  void release(Incarnation who, const Token& token) {
    const Answer answer = store_->execute(reference::Release{kResource, who, token}, kSecond);
    EXPECT_TRUE(std::holds_alternative<reference::Released>(answer.reply)) << answer.message;
  }
  int run(const char* sql) { return sqlite3_exec(user_.get(), sql, nullptr, nullptr, nullptr); }
  // As the page shows it. Empty: it was written.
  std::string write(const Token& token) {
    EXPECT_EQ(run("BEGIN IMMEDIATE"), SQLITE_OK);
    if (const auto why = fence(user_.get(), kResource, token, clock_)) {
      EXPECT_EQ(run("ROLLBACK"), SQLITE_OK);
      return *why;
    }
    EXPECT_EQ(run("INSERT INTO orders VALUES (1)"), SQLITE_OK);
    EXPECT_EQ(run("COMMIT"), SQLITE_OK);
    return "";
  }
  std::string orders() { return Sqlite(path_).ask("SELECT count(*) FROM orders"); }

  TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/tenure.db";
  StoreTime now_ = StoreTime{} + Duration::hours(1);
  std::function<StoreTime()> clock_ = [this] { return now_; };
  std::unique_ptr<SqliteStore> store_ = store_at(path_, clock_);
  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> user_{nullptr, &sqlite3_close};
};

TEST_F(SqliteFence, a_stale_token_is_refused_in_the_transaction_that_would_write) {
  const Token token = acquire(kLeader, 0);
  EXPECT_EQ(write(token), "");
  Token forged = token;
  forged.nonce += 1;
  EXPECT_EQ(write(forged), "not the leader of resource 1: another term has begun");
  EXPECT_EQ(write({}), "not the leader of resource 1: another term has begun");
  release(kLeader, token);
  EXPECT_EQ(write(token), "not the leader of resource 1: nobody holds the lease");
  const Token next = acquire(kNext, token.epoch);
  EXPECT_EQ(write(token), "not the leader of resource 1: another term has begun");
  EXPECT_EQ(write(next), "");
  now_ = now_ + kLease;
  EXPECT_EQ(write(next), "not the leader of resource 1: the lease has expired");
  now_ = now_ - Duration::micros(1);
  EXPECT_EQ(write(next), "");
  EXPECT_EQ(store_->promote(2, kSecond).outcome, RequestOutcome::applied);
  EXPECT_EQ(write(next), "not the leader of resource 1: another term has begun");
  EXPECT_EQ(orders(), "3");
}

TEST_F(SqliteFence, nobody_else_is_granted_the_lease_while_such_a_transaction_is_open) {
  const Token token = acquire(kLeader, 0);
  ASSERT_EQ(run("BEGIN IMMEDIATE"), SQLITE_OK);
  EXPECT_EQ(fence(user_.get(), kResource, token, clock_), std::nullopt);
  const Answer answer = store_->execute(reference::Release{kResource, kLeader, token}, Duration::millis(50));
  EXPECT_EQ(answer.trouble, StoreError::busy);
  ASSERT_EQ(run("COMMIT"), SQLITE_OK);
}

// It would be judged by what was there before, and others would write meanwhile.
TEST_F(SqliteFence, a_transaction_without_the_write_lock_is_refused) {
  const Token token = acquire(kLeader, 0);
  EXPECT_NE(fence(user_.get(), kResource, token, clock_), std::nullopt);
  ASSERT_EQ(run("BEGIN; SELECT count(*) FROM orders"), SQLITE_OK);
  EXPECT_NE(fence(user_.get(), kResource, token, clock_), std::nullopt);
  ASSERT_EQ(run("ROLLBACK"), SQLITE_OK);
}

TEST_F(SqliteFence, a_file_that_is_not_the_stores_or_was_moved_is_refused) {
  const Token token = acquire(kLeader, 0);
  ASSERT_EQ(run("BEGIN IMMEDIATE"), SQLITE_OK);
  EXPECT_NE(fence(user_.get(), ResourceId{9}, token, clock_), std::nullopt);
  std::filesystem::rename(path_, path_ + ".away");
  EXPECT_NE(fence(user_.get(), kResource, token, clock_), std::nullopt);
  run("ROLLBACK");
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &other), SQLITE_OK);
  sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  EXPECT_NE(fence(other, kResource, token, clock_), std::nullopt);
  sqlite3_close(other);
}

}  // namespace
}  // namespace tenure::testing
