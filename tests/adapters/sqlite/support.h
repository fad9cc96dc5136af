// An SQLite file to break, and short ways to ask the store on it.
//
// Thread rule: one test.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "adapters/sqlite/sqlite_store.h"
#include "tests/support/temporary.h"
#include "tests/support/zones.h"

namespace tenure::testing {

inline constexpr ResourceId kResource{1};
inline constexpr Duration kSecond = Duration::seconds(1);

inline SqliteStore::Opened open_store(const std::string& path, std::function<StoreTime()> clock = {}) {
  return SqliteStore::open({.path = path, .zones = &few_zones(), .clock = std::move(clock)});
}
// What must open, does.
inline std::unique_ptr<SqliteStore> store_at(const std::string& path, std::function<StoreTime()> clock = {}) {
  auto opened = open_store(path, std::move(clock));
  if (const auto* error = std::get_if<OpenError>(&opened)) {
    ADD_FAILURE() << error->message;
    return nullptr;
  }
  return std::move(std::get<std::unique_ptr<SqliteStore>>(opened));
}
// What must not, does not.
inline OpenError error_at(const std::string& path) {
  auto opened = open_store(path);
  const auto* error = std::get_if<OpenError>(&opened);
  if (error == nullptr) ADD_FAILURE() << path << " opens";
  return error == nullptr ? OpenError{StoreError::none, ""} : *error;
}

inline reference::PutSchedule put(std::uint32_t schedule) {
  return {kResource, {schedule}, 0, {.recurrence = Interval{StoreTime{}, Duration::seconds(10)}}};
}
inline std::set<std::uint32_t> schedules_in(SqliteStore& store) {
  const Answer answer =
      store.execute(reference::ChangesSince{kResource, 0, 10'000'000}, Duration::seconds(30));
  std::set<std::uint32_t> found;
  EXPECT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  if (answer.outcome != RequestOutcome::applied) return found;
  for (const reference::Change& change : std::get<reference::Changes>(answer.reply).changes)
    found.insert(change.segment.schedule.value);
  return found;
}

// Another program on the same file.
class Sqlite {
 public:
  explicit Sqlite(const std::string& path) { EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK); }
  ~Sqlite() { sqlite3_close(db_); }
  Sqlite(const Sqlite&) = delete;
  void execute(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
  }
  std::string ask(const std::string& sql) {
    std::string text;
    const auto take = [](void* into, int, char** values, char**) {
      *static_cast<std::string*>(into) += values[0] == nullptr ? "" : values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), take, &text, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
    return text;
  }

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace tenure::testing
