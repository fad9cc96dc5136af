// A file that is moved away while it is in use, by whoever makes room or a copy, and put back: nothing that was
// acknowledged may be lost, and whoever asks meanwhile is told.
#include <filesystem>
#include <fstream>
#include <vector>

#include "adapters/runtime/store_worker.h"
#include "adapters/sqlite/listener.h"
#include "tests/adapters/sqlite/support.h"

namespace tenure::testing {
namespace {

namespace fs = std::filesystem;

class SqliteMoved : public ::testing::Test {
 protected:
  void move_away(bool log) {
    fs::rename(path, path + ".away");
    if (!log) return;
    for (const char* end : {"-wal", "-shm"})
      if (fs::exists(path + end)) fs::rename(path + end, path + ".away" + end);
  }
  void put_back() {
    fs::rename(path + ".away", path);
    for (const char* end : {"-wal", "-shm"})
      if (fs::exists(path + ".away" + end)) fs::rename(path + ".away" + end, path + end);
  }
  // Nobody has made anything where the file was.
  void expect_nothing_there(bool log) {
    EXPECT_FALSE(fs::exists(path));
    EXPECT_EQ(fs::exists(path + "-wal"), !log);
  }

  TemporaryFolder folder;
  std::string path = folder.path() + "/tenure.db";
};

TEST_F(SqliteMoved, requests_fail_until_it_is_back_and_nothing_is_lost) {
  for (const bool log : {false, true}) {
    const std::uint32_t first = log ? 100 : 1;
    const auto store = store_at(path);
    const auto other = store_at(path);  // so that nobody who closes is the last
    ASSERT_EQ(store->execute(put(first), kSecond).outcome, RequestOutcome::applied);
    ASSERT_EQ(other->execute(put(first + 1), kSecond).outcome, RequestOutcome::applied);
    const std::set<std::uint32_t> before = schedules_in(*store);
    move_away(log);
    for (int i = 0; i < 3; ++i) {
      for (SqliteStore* one : {store.get(), other.get()}) {
        for (const reference::Request& request :
             {reference::Request{put(first + 2)}, reference::Request{reference::ReadOutbox{kResource}}}) {
          const Answer answer = one->execute(request, kSecond);
          EXPECT_EQ(answer.outcome, RequestOutcome::rejected);
          EXPECT_EQ(answer.trouble, StoreError::unreachable);
          EXPECT_TRUE(answer.message.find("was moved") != std::string::npos ||
                      answer.message.find("is missing") != std::string::npos)
              << answer.message;
        }
        EXPECT_FALSE(one->audit(kResource).has_value());
      }
      expect_nothing_there(log);
    }
    put_back();
    EXPECT_EQ(schedules_in(*store), before);
    EXPECT_EQ(schedules_in(*other), before);
    EXPECT_EQ(store->execute(put(first + 3), kSecond).outcome, RequestOutcome::applied)
        << "it goes on by itself";
  }
}

TEST_F(SqliteMoved, a_listener_makes_nothing_either) {
  const auto store = store_at(path);
  SqliteListener listener(path);
  EXPECT_TRUE(listener.wait(kSecond).missed);
  ASSERT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  move_away(false);
  for (int i = 0; i < 3; ++i) {
    listener.wait(Duration::seconds(2));
    SqliteListener late(path);
    EXPECT_NE(late.wait(Duration{}).trouble, "");
    expect_nothing_there(false);
  }
  put_back();
  EXPECT_EQ(schedules_in(*store), std::set<std::uint32_t>{1});
  bool listens = false;
  for (int i = 0; i < 10 && !listens; ++i) listens = listener.wait(kSecond).missed;
  EXPECT_TRUE(listens);
}

// A program that starts in that moment: SQLite would take the name for a new database, and delete the log.
TEST_F(SqliteMoved, nobody_makes_a_file_beside_a_log_that_is_left) {
  auto store = store_at(path);
  ASSERT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  move_away(false);
  for (const bool empty : {false, true}) {
    if (empty) std::ofstream(path).flush();  // as a `touch` leaves it
    const OpenError refused = error_at(path);
    EXPECT_EQ(refused.trouble, StoreError::unreachable);
    EXPECT_NE(refused.message.find("its log is there and has the last commits"), std::string::npos)
        << refused.message;
    EXPECT_EQ(store->execute(put(2), kSecond).outcome, RequestOutcome::rejected);
    SqliteListener listener(path);
    EXPECT_NE(listener.wait(Duration{}).trouble, "");
    EXPECT_GT(fs::file_size(path + "-wal"), 0u);
  }
  fs::remove(path);
  put_back();
  EXPECT_EQ(schedules_in(*store_at(path)), std::set<std::uint32_t>{1});
}

// A worker opens its connection when it is first asked something, which may be then.
TEST_F(SqliteMoved, a_second_connection_of_a_program_makes_nothing_where_the_first_found_a_file) {
  const Connect connect = connect_with<SqliteStore>({.path = path});
  { ASSERT_FALSE(std::holds_alternative<OpenError>(connect())); }
  move_away(true);
  const auto opened = connect();
  const auto* error = std::get_if<OpenError>(&opened);
  ASSERT_NE(error, nullptr);
  EXPECT_NE(error->message.find("it was moved or deleted: put it back, with its log (-wal)"),
            std::string::npos)
      << error->message;
  expect_nothing_there(true);
}

// SQLite itself goes on with the files that it has open, and whoever comes next begins others: two writers, and two
// leaders.
TEST_F(SqliteMoved, a_log_that_is_removed_or_replaced_stops_all_and_nothing_is_lost) {
  using Ends = std::vector<const char*>;
  for (const Ends& ends : {Ends{"-wal"}, Ends{"-shm"}, Ends{"-wal", "-shm"}}) {
    for (const bool replaced : {false, true}) {
      TemporaryFolder own;
      const std::string file = own.path() + "/tenure.db";
      auto store = store_at(file);
      auto other = store_at(file);
      SqliteListener listener(file);
      EXPECT_TRUE(listener.wait(kSecond).missed);
      ASSERT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
      for (const char* end : ends) fs::remove(file + end);
      if (replaced)
        for (const char* end : ends) std::ofstream(file + end).flush();
      for (int i = 0; i < 3; ++i) {
        for (SqliteStore* one : {store.get(), other.get()}) {
          const Answer answer = one->execute(put(2), kSecond);
          EXPECT_EQ(answer.outcome, RequestOutcome::rejected);
          EXPECT_EQ(answer.trouble, StoreError::unreachable);
          EXPECT_NE(answer.message.find("was removed or replaced while programs use it"), std::string::npos)
              << answer.message;
        }
      }
      EXPECT_NE(listener.wait(kSecond).trouble.find("was removed or replaced"), std::string::npos);
      if (!replaced) {
        EXPECT_NE(error_at(file).message.find("was removed or replaced"), std::string::npos)
            << "nobody begins a new log beside those who still have the old one";
      }
      store.reset();
      other.reset();
      if (replaced) continue;
      EXPECT_EQ(schedules_in(*store_at(file)), std::set<std::uint32_t>{1}) << "the last one has saved it";
    }
  }
}

// `: > FILE`: the file is there under its name, and SQLite goes on with what is in its log and its memory.
TEST_F(SqliteMoved, a_file_that_is_emptied_stops_all_and_the_last_one_saves_what_the_log_has) {
  auto store = store_at(path);
  auto other = store_at(path);
  SqliteListener listener(path);
  EXPECT_TRUE(listener.wait(kSecond).missed);
  ASSERT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  fs::resize_file(path, 0);
  for (int i = 0; i < 3; ++i) {
    for (SqliteStore* one : {store.get(), other.get()}) {
      for (const reference::Request& request :
           {reference::Request{put(2)}, reference::Request{reference::ReadOutbox{kResource}}}) {
        const Answer answer = one->execute(request, kSecond);
        EXPECT_EQ(answer.outcome, RequestOutcome::rejected);
        EXPECT_EQ(answer.trouble, StoreError::unreachable);
        EXPECT_NE(answer.message.find("was emptied while programs use it"), std::string::npos)
            << answer.message;
      }
    }
  }
  EXPECT_NE(listener.wait(kSecond).trouble.find("was emptied"), std::string::npos);
  EXPECT_NE(error_at(path).message.find("is missing or empty, but its log is there"), std::string::npos)
      << "nobody begins a new database beside those who use the old one";
  store.reset();
  other.reset();
  EXPECT_EQ(schedules_in(*store_at(path)), std::set<std::uint32_t>{1}) << "the last one has saved it";
}

TEST_F(SqliteMoved, a_log_that_is_put_back_is_used_on) {
  const auto store = store_at(path);
  ASSERT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  for (const char* end : {"-wal", "-shm"}) fs::rename(path + end, path + ".away" + end);
  EXPECT_EQ(store->execute(put(2), kSecond).outcome, RequestOutcome::rejected);
  for (const char* end : {"-wal", "-shm"}) fs::rename(path + ".away" + end, path + end);
  EXPECT_EQ(store->execute(put(2), kSecond).outcome, RequestOutcome::applied);
  EXPECT_EQ(schedules_in(*store), (std::set<std::uint32_t>{1, 2}));
}

// A log without an index is what a crash of the machine and a cleaner of /tmp leave; nobody has the file open.
TEST_F(SqliteMoved, a_log_or_an_index_alone_is_no_obstacle_if_nobody_uses_the_file) {
  { ASSERT_EQ(store_at(path)->execute(put(1), kSecond).outcome, RequestOutcome::applied); }
  std::ofstream(path + "-shm").flush();
  EXPECT_EQ(schedules_in(*store_at(path)), std::set<std::uint32_t>{1});
}

// A database of somebody else, or a new one, in the place of the first: its leases say nothing of this program's.
TEST_F(SqliteMoved, another_database_in_its_place_is_refused) {
  const Connect connect = connect_with<SqliteStore>({.path = path});
  auto first = connect();
  ASSERT_FALSE(std::holds_alternative<OpenError>(first));
  const auto& store = std::get<std::unique_ptr<StoreBackend>>(first);
  const std::string identity = store->identity();
  EXPECT_EQ(identity.size(), 32u);
  EXPECT_EQ(store_at(path)->identity(), identity) << "each connection finds the same";
  move_away(true);
  EXPECT_NE(store_at(path)->identity(), identity);
  Answer answer;
  for (int i = 0; i < 3; ++i) answer = store->execute(put(1), kSecond);
  EXPECT_EQ(answer.trouble, StoreError::other_store);
  EXPECT_NE(answer.message.find("this is not the same store as before"), std::string::npos) << answer.message;
  const auto second = connect();
  ASSERT_TRUE(std::holds_alternative<OpenError>(second));
  EXPECT_EQ(std::get<OpenError>(second).trouble, StoreError::other_store);
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(path + end);
  put_back();
  EXPECT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
}

// Readers that were there at all times have kept the log growing; once there is none for a moment, it is small again.
TEST_F(SqliteMoved, a_log_that_grew_is_given_back) {
  const auto store = store_at(path);
  ASSERT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  {
    Sqlite reader(path);
    reader.ask("BEGIN; SELECT count(*) FROM tenure_schedule");
    Sqlite writer(path);
    writer.execute(
        "PRAGMA synchronous = OFF; CREATE TABLE other (x); INSERT INTO other VALUES (zeroblob(100000000))");
    EXPECT_EQ(store->execute(put(2), kSecond).outcome, RequestOutcome::applied);
    EXPECT_GT(fs::file_size(path + "-wal"), 90'000'000u);
    reader.ask("COMMIT");
  }
  std::uint32_t schedule = 3;
  for (int i = 0; i < 50 && fs::file_size(path + "-wal") > 40'000'000; ++i) {
    EXPECT_EQ(store->execute(put(schedule++), kSecond).outcome, RequestOutcome::applied);
    usleep(50'000);
  }
  EXPECT_LE(fs::file_size(path + "-wal"), 40'000'000u);
  EXPECT_EQ(schedules_in(*store).size(), schedule - 1);
}

}  // namespace
}  // namespace tenure::testing
