// A file's disk is measured, and the file is left alone.
#include "adapters/sqlite/probe.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/adapters/sqlite/support.h"

namespace tenure::testing {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

OpenError refused(const std::string& path) {
  const ProbeOpened opened = sqlite::open_probe(path, kSecond);
  const auto* error = std::get_if<OpenError>(&opened);
  EXPECT_NE(error, nullptr) << path;
  return error == nullptr ? OpenError{StoreError::none, ""} : *error;
}

TEST(SqliteProbe, leaves_the_file_and_its_locks_alone_and_nothing_behind) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a.db";
  const auto store = store_at(path);
  store->execute(put(1), kSecond);
  const std::set<std::string> before = files_in(folder.path());
  const std::string bytes = bytes_of(path) + bytes_of(path + "-wal");
  {
    ProbeOpened opened = sqlite::open_probe(path, kSecond);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<StoreProbe>>(opened))
        << std::get<OpenError>(opened).message;
    StoreProbe& probe = *std::get<std::unique_ptr<StoreProbe>>(opened);
    EXPECT_TRUE(probe.shares_our_clock());
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(std::holds_alternative<StoreTime>(probe.read_clock()));
      EXPECT_FALSE(probe.commit());
    }
    EXPECT_EQ(files_in(folder.path()).size(), before.size() + 3) << "a file of its own, with its log";
  }
  EXPECT_EQ(files_in(folder.path()), before);
  EXPECT_EQ(bytes_of(path) + bytes_of(path + "-wal"), bytes);
}

TEST(SqliteProbe, goes_on_while_somebody_holds_the_files_lock) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a.db";
  const auto store = store_at(path);
  Sqlite other(path);
  other.execute("BEGIN IMMEDIATE");
  ProbeOpened opened = sqlite::open_probe(path, kSecond);
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<StoreProbe>>(opened));
  EXPECT_FALSE(std::get<std::unique_ptr<StoreProbe>>(opened)->commit());
}

TEST(SqliteProbe, wants_a_database_that_is_there) {
  const TemporaryFolder folder;
  EXPECT_EQ(refused(folder.path() + "/none.db").trouble, StoreError::unreachable);
  EXPECT_EQ(refused(folder.path()).trouble, StoreError::unreachable) << "a folder";
  std::ofstream(folder.path() + "/text") << "this is no database, and is longer than its mark";
  EXPECT_EQ(refused(folder.path() + "/text").trouble, StoreError::corrupt);
  EXPECT_EQ(files_in(folder.path()).size(), 1u);
}

}  // namespace
}  // namespace tenure::testing
