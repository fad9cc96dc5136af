// What becomes of a store whose server's disk is full, or whose files are damaged.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "tests/adapters/postgres/cluster.h"
#include "tests/support/temporary.h"

namespace tenure::pgtest {
namespace {

using ::testing::HasSubstr;

// A tablespace on a file system of its own, whose files a test can reach.
class SmallDisk {
 public:
  SmallDisk() {
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
    mounted_ = mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=16m,mode=0777") == 0;
    if (!mounted_) return;
    std::filesystem::create_directory(files());
    EXPECT_EQ(std::system(fmt::format("chown postgres {}", files()).c_str()), 0);
    Raw control("dbname=postgres");
    EXPECT_EQ(control.ask(fmt::format("CREATE TABLESPACE small LOCATION '{}'", files())), "");
  }
  ~SmallDisk() {
    if (!mounted_) return;
    EXPECT_EQ(Raw("dbname=postgres").ask("DROP TABLESPACE small"), "");
    umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }
  // Nobody may be connected to it. The server forgets what it has cached of it.
  void take(const FreshDatabase& database) {
    Raw control("dbname=postgres");
    EXPECT_EQ(control.ask(fmt::format("ALTER DATABASE {} SET TABLESPACE small", database.name())), "");
  }
  void grow() { EXPECT_EQ(mount("tmpfs", folder_.path().c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0); }
  // `path` as pg_relation_filepath() says it: pg_tblspc/OID/…
  std::string file(const std::string& path) const {
    return files() + path.substr(path.find('/', path.find('/') + 1));
  }

 private:
  std::string files() const { return folder_.path() + "/files"; }

  testing::TemporaryFolder folder_;
  bool mounted_ = false;
};

class PostgresDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!disk_.mounted()) GTEST_SKIP() << "only an account that may mount file systems can fill one";
  }
  static Answer put(PostgresStore& store, std::uint32_t schedule) {
    const Definition definition{.recurrence = Interval{StoreTime{}, kSecond}};
    return store.execute(reference::PutSchedule{kResource, {schedule}, 0, definition}, kPatience);
  }

  SmallDisk disk_;
  FreshDatabase database_;
};

TEST_F(PostgresDisk, that_is_full_is_named_loses_nothing_and_once_there_is_room_the_store_goes_on) {
  disk_.take(database_);
  const auto store = database_.open();
  Raw owner(database_.connection());
  owner.ask("CREATE TABLE filler (bytes text); ALTER TABLE filler ALTER bytes SET STORAGE PLAIN");
  for (const int rows : {100, 1})
    while (owner.ask(fmt::format("INSERT INTO filler SELECT repeat('x', 7000) FROM generate_series(1, {})",
                                 rows)) != "!53100") {
    }
  std::set<std::string> acknowledged;
  Answer answer;
  for (std::uint32_t i = 0; i < 10'000 && (answer = put(*store, i)).outcome == RequestOutcome::applied; ++i)
    acknowledged.insert(std::to_string(i));
  EXPECT_EQ(outcome(answer), "rejected: full");
  EXPECT_THAT(answer.message,
              HasSubstr("/" + database_.name() + ": there is no room left on the server's disk"));
  const std::string all = "SELECT count(*) FROM tenure.schedule";
  EXPECT_EQ(owner.ask(all), std::to_string(acknowledged.size()));

  disk_.grow();
  EXPECT_EQ(outcome(put(*store, 1'000'000)), "applied");
  EXPECT_EQ(owner.ask(all), std::to_string(acknowledged.size() + 1));
}

TEST_F(PostgresDisk, whose_file_is_damaged_is_called_that_and_the_rest_goes_on) {
  EXPECT_EQ(outcome(put(*database_.open(), 1)), "applied");
  disk_.take(database_);
  const std::string path = Raw(database_.connection()).ask("SELECT pg_relation_filepath('tenure.schedule')");
  {
    std::fstream file(disk_.file(path), std::ios::in | std::ios::out | std::ios::binary);
    ASSERT_TRUE(file.is_open()) << disk_.file(path);
    file << std::string(8'192, 'x');
  }
  const auto store = database_.open();
  const Answer answer = put(*store, 1);
  EXPECT_EQ(outcome(answer), "rejected: corrupt");
  EXPECT_THAT(answer.message, HasSubstr("what is stored is damaged: restore a backup, or promote a standby"));
  EXPECT_EQ(outcome(store->execute(reference::Acquire{kResource, node(1), 0, 7, kSecond}, kPatience)),
            "applied");
}

}  // namespace
}  // namespace tenure::pgtest
