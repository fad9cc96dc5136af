// What a real engine does to a store that works: locks, a full disk, a damaged file, a process that is killed.
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "adapters/sqlite/listener.h"
#include "tests/adapters/sqlite/support.h"

namespace tenure::testing {
namespace {

struct SqliteFailure : ::testing::Test {
  TemporaryFolder folder;
  std::string path = folder.path() + "/tenure.db";
};

TEST_F(SqliteFailure, a_lock_that_is_not_had_in_time_is_a_rejection_and_nothing_is_done) {
  const auto store = store_at(path);
  Sqlite other(path);
  other.execute("BEGIN IMMEDIATE");
  const Answer answer = store->execute(put(1), Duration::millis(20));
  EXPECT_EQ(answer.outcome, RequestOutcome::rejected);
  EXPECT_EQ(answer.rejection, Rejection::overloaded);
  EXPECT_EQ(answer.trouble, StoreError::busy);
  EXPECT_EQ(answer.message, path +
                                ": another process held the lock beyond the deadline; a transaction that "
                                "was left open would do that (SQLite: database is locked)");
  EXPECT_TRUE(schedules_in(*store).empty()) << "reads go on";
  other.execute("ROLLBACK");
  EXPECT_TRUE(schedules_in(*store).empty()) << "it is not done later";
  EXPECT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
}

// Whoever waits gives the request up at its deadline, and its fate would be unknown for nothing.
TEST_F(SqliteFailure, a_lock_is_told_of_before_the_deadline) {
  const auto store = store_at(path);
  Sqlite other(path);
  other.execute("BEGIN IMMEDIATE");
  for (const reference::Request& request :
       {reference::Request{put(1)},
        reference::Request{reference::Acquire{kResource, {{1}, 1}, 0, 7, Duration::seconds(15)}}}) {
    bool in_time = false;
    for (int tries = 0; tries < 5 && !in_time; ++tries) {  // this thread may stand still
      const auto began = std::chrono::steady_clock::now();
      EXPECT_EQ(store->execute(request, kSecond).trouble, StoreError::busy);
      in_time = std::chrono::steady_clock::now() - began < std::chrono::milliseconds(990);
    }
    EXPECT_TRUE(in_time);
  }
}

// Trace 5: a renewal that waited for the lock beyond the lease's end must not bring the lease back.
TEST_F(SqliteFailure, the_clock_is_read_behind_the_lock) {
  std::atomic<std::int64_t> seconds = 100;
  std::atomic<bool> locked = false;
  std::atomic<bool> read_while_locked = false;
  const auto store = store_at(path, [&] {
    if (locked) read_while_locked = true;
    return StoreTime{} + Duration::seconds(seconds);
  });
  const Incarnation holder{{0}, 1};
  const Answer granted =
      store->execute(reference::Acquire{kResource, holder, 0, 7, Duration::seconds(15)}, kSecond);
  const Token token = std::get<reference::Granted>(granted.reply).token;

  Sqlite other(path);
  other.execute("BEGIN IMMEDIATE");
  locked = true;
  std::atomic<bool> asking = false;
  Answer answer;
  std::thread renewal([&] {
    asking = true;
    answer = store->execute(reference::Renew{kResource, holder, token, Duration::seconds(15)},
                            Duration::seconds(60));
  });
  while (!asking) std::this_thread::yield();
  seconds = 115;
  locked = false;
  other.execute("ROLLBACK");
  renewal.join();
  ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  ASSERT_TRUE(std::holds_alternative<reference::Refused>(answer.reply));
  EXPECT_EQ(std::get<reference::Refused>(answer.reply).why, reference::Denial::expired);
  EXPECT_EQ(answer.store_time, StoreTime{} + Duration::seconds(115));
  EXPECT_FALSE(read_while_locked);
}

// A file system of its own, so small that it is soon full.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& at) : at_(at) {
    mounted_ = mount("tmpfs", at_.c_str(), "tmpfs", 0, "size=2m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(at_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  void grow() { EXPECT_EQ(mount("tmpfs", at_.c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0); }

 private:
  std::string at_;
  bool mounted_ = false;
};

TEST_F(SqliteFailure, a_full_disk_loses_nothing_that_was_acknowledged) {
  SmallDisk disk(folder.path());
  if (!disk.mounted()) GTEST_SKIP() << "only an account that may mount file systems can fill one";
  auto store = store_at(path);
  std::set<std::uint32_t> acknowledged;
  std::set<std::uint32_t> unknown;
  Answer full;
  for (std::uint32_t i = 0; i < 20'000 && unknown.size() < 5; ++i) {
    const Answer answer = store->execute(put(i), kSecond);
    if (answer.outcome == RequestOutcome::applied) {
      acknowledged.insert(i);
      continue;
    }
    full = answer;
    EXPECT_EQ(answer.trouble, StoreError::full) << answer.message;
    unknown.insert(i);
  }
  ASSERT_FALSE(unknown.empty());
  EXPECT_GT(acknowledged.size(), 50u);
  EXPECT_NE(full.message.find("the disk is full: once there is room, it goes on by itself"),
            std::string::npos);
  std::set<std::uint32_t> found = schedules_in(*store);
  EXPECT_TRUE(std::includes(found.begin(), found.end(), acknowledged.begin(), acknowledged.end()));

  disk.grow();
  EXPECT_EQ(store->execute(put(1'000'000), kSecond).outcome, RequestOutcome::applied) << "by itself";
  acknowledged.insert(1'000'000);
  store = store_at(path);
  found = schedules_in(*store);
  EXPECT_TRUE(std::includes(found.begin(), found.end(), acknowledged.begin(), acknowledged.end()));
  EXPECT_EQ(Sqlite(path).ask("PRAGMA integrity_check"), "ok");
}

TEST_F(SqliteFailure, a_damaged_file_is_called_that) {
  {
    const auto store = store_at(path);
    for (std::uint32_t i = 0; i < 2'000; ++i) store->execute(put(i), kSecond);
  }
  Sqlite(path).execute("PRAGMA wal_checkpoint(TRUNCATE)");
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4'096);
    file << std::string(400'000, 'x');
  }
  auto opened = open_store(path);
  StoreError trouble = StoreError::none;
  std::string message;
  if (const auto* error = std::get_if<OpenError>(&opened)) {
    trouble = error->trouble;
    message = error->message;
  } else {
    const Answer answer = std::get<std::unique_ptr<SqliteStore>>(opened)->execute(put(5'000), kSecond);
    EXPECT_EQ(answer.outcome, RequestOutcome::rejected);
    trouble = answer.trouble;
    message = answer.message;
  }
  EXPECT_EQ(trouble, StoreError::corrupt) << message;
  EXPECT_NE(message.find("restore a backup"), std::string::npos) << message;
}

// Commits schedule after schedule, and says so of each once it is acknowledged.
[[noreturn]] void commit_until_killed(const std::string& path, std::uint32_t from, int acknowledgements) {
  const auto store = store_at(path);
  for (std::uint32_t i = from;; ++i) {
    if (store->execute(put(i), Duration::seconds(10)).outcome != RequestOutcome::applied) _exit(1);
    if (write(acknowledgements, &i, sizeof i) != sizeof i) _exit(2);
  }
}

TEST_F(SqliteFailure, what_a_killed_process_was_told_is_there_and_the_file_is_whole) {
  store_at(path);
  std::set<std::uint32_t> acknowledged;
  for (std::uint32_t round = 0; round < 10; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) commit_until_killed(path, round * 1'000'000, ends[1]);
    close(ends[1]);
    std::uint32_t number = 0;
    for (std::uint32_t n = 0; n < 20 + 7 * round && read(ends[0], &number, sizeof number) == sizeof number;
         ++n)
      acknowledged.insert(number);
    kill(child, SIGKILL);
    while (read(ends[0], &number, sizeof number) == sizeof number) acknowledged.insert(number);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it failed by itself";

    const auto store = store_at(path);
    EXPECT_EQ(
        store->execute(reference::ReadDue{kResource, StoreTime::max(), 1'000, std::nullopt}, kSecond).outcome,
        RequestOutcome::applied);
    const std::set<std::uint32_t> found = schedules_in(*store);
    EXPECT_TRUE(std::includes(found.begin(), found.end(), acknowledged.begin(), acknowledged.end()));
    EXPECT_LE(found.size(), acknowledged.size() + round + 1)
        << "one commit a process may not have been heard of";
    EXPECT_EQ(Sqlite(path).ask("PRAGMA integrity_check"), "ok");
  }
}

TEST_F(SqliteFailure, a_restored_backup_goes_on_under_another_branch) {
  const auto store = store_at(path);
  const Incarnation holder{{0}, 1};
  const Answer granted =
      store->execute(reference::Acquire{kResource, holder, 0, 7, Duration::seconds(60)}, kSecond);
  const Token token = std::get<reference::Granted>(granted.reply).token;
  EXPECT_EQ(store->promote(2, kSecond).outcome, RequestOutcome::applied);
  const Answer renewed =
      store->execute(reference::Renew{kResource, holder, token, Duration::seconds(60)}, kSecond);
  EXPECT_EQ(std::get<reference::Refused>(renewed.reply).why, reference::Denial::stale_token);
}

// Else the old leader would go on in a file that nobody else sees, beside the one in the new.
TEST_F(SqliteFailure, a_file_that_was_replaced_is_written_no_more_and_the_new_one_is_another_store) {
  const auto store = store_at(path);
  const Incarnation holder{{0}, 1};
  const Answer granted =
      store->execute(reference::Acquire{kResource, holder, 0, 7, Duration::seconds(60)}, kSecond);
  const Token token = std::get<reference::Granted>(granted.reply).token;
  const reference::Renew renewal{kResource, holder, token, Duration::seconds(60)};
  SqliteListener listener(path);
  EXPECT_TRUE(listener.wait(kSecond).missed);

  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::rename(path + end, path + ".old" + end);
  const auto other = store_at(path);
  EXPECT_TRUE(std::holds_alternative<reference::Granted>(
      other->execute(reference::Acquire{kResource, {{1}, 1}, 0, 8, Duration::seconds(60)}, kSecond).reply));

  const Answer answer = store->execute(renewal, kSecond);
  EXPECT_EQ(answer.outcome, RequestOutcome::rejected);
  EXPECT_EQ(answer.trouble, StoreError::unreachable);
  EXPECT_NE(answer.message.find("replaced"), std::string::npos) << answer.message;
  const Answer next = store->execute(renewal, kSecond);
  EXPECT_EQ(next.outcome, RequestOutcome::rejected);
  EXPECT_EQ(next.trouble, StoreError::other_store);
  EXPECT_NE(listener.wait(Duration{}).trouble, "");
}

}  // namespace
}  // namespace tenure::testing
