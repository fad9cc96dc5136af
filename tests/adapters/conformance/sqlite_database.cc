#include "tests/adapters/conformance/sqlite_database.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include "adapters/sqlite/sqlite_store.h"
#include "tests/support/temporary.h"
#include "tests/support/zones.h"

namespace tenure::conformance {
namespace {

// Where a flush costs nothing, if there is such a place: what is at stake here is not the disk.
std::filesystem::path in_memory() {
  std::error_code ignored;
  const std::filesystem::path shared = "/dev/shm";
  return std::filesystem::is_directory(shared, ignored) ? shared : std::filesystem::temp_directory_path();
}

class SqliteDatabase final : public Database {
 public:
  std::unique_ptr<StoreBackend> connect(std::function<StoreTime()> clock) override {
    auto opened =
        SqliteStore::open({.path = path(), .zones = &testing::few_zones(), .clock = std::move(clock)});
    if (const auto* error = std::get_if<OpenError>(&opened)) {
      ADD_FAILURE() << error->message;
      return nullptr;
    }
    return std::move(std::get<std::unique_ptr<SqliteStore>>(opened));
  }
  bool promote(std::uint32_t branch) override {
    auto opened = SqliteStore::open({.path = path(), .zones = &testing::few_zones()});
    const auto& store = std::get<std::unique_ptr<SqliteStore>>(opened);
    return store->promote(branch, Duration::seconds(10)).outcome == RequestOutcome::applied;
  }
  std::shared_ptr<void> stalled_writer() override {
    sqlite3* db = nullptr;
    sqlite3_open(path().c_str(), &db);
    std::shared_ptr<void> stall(db, [](void* open) { sqlite3_close(static_cast<sqlite3*>(open)); });
    EXPECT_EQ(sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    return stall;
  }

 private:
  std::string path() const { return folder_.path() + "/tenure.db"; }
  testing::TemporaryFolder folder_{in_memory()};
};

}  // namespace

std::unique_ptr<Database> make_sqlite() { return std::make_unique<SqliteDatabase>(); }

}  // namespace tenure::conformance
