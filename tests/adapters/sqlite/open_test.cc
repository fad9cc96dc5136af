// Opening: what is made, what is migrated, and what is said of a file that is of no use.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "adapters/sqlite/migrate.h"
#include "tests/adapters/sqlite/support.h"
#include "tests/support/definitions.h"

namespace tenure::testing {
namespace {

constexpr const char* kNewer =
    ": run a newer program; if a build from before 0.1.0 made them, make a new database";

struct SqliteOpen : ::testing::Test {
  void set_version(std::int64_t version) const {
    Sqlite(path).execute(fmt::format("UPDATE tenure_meta SET schema_version = {}", version));
  }
  // That the tables are of this version, which a program of the other one cannot use.
  std::string no_use(std::int64_t version, std::int64_t program = sqlite::kSchemaVersion) const {
    return fmt::format("{}: its tables are of version {}, and this program works with {} and {}", path,
                       version, program, program + 1);
  }
  // Opens the file as a program of that version. Returns its message if it refuses. Each version after this one has one
  // column more than the version before.
  std::string open_as(std::int64_t version, bool may_change = true) const {
    std::string steps(sqlite::migrations());
    for (std::int64_t number = sqlite::kSchemaVersion + 1; number <= version; ++number)
      steps += fmt::format(
          "\n-- migration {0}: made up\n"
          "ALTER TABLE tenure_resource ADD COLUMN made_up_{0} INTEGER NOT NULL DEFAULT {0};\n",
          number);
    sqlite::SqliteConnection connection(path, sqlite::Make::no);
    connection.give_up_after(kSecond);
    const auto error = sqlite::migrate(connection, path, may_change, {steps, version});
    return error ? error->message : "";
  }

  TemporaryFolder folder;
  std::string path = folder.path() + "/tenure.db";
};

TEST_F(SqliteOpen, makes_what_is_not_there_and_finds_it_again) {
  EXPECT_EQ(store_at(path)->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  EXPECT_EQ(schedules_in(*store_at(path)), std::set<std::uint32_t>{1});
  EXPECT_EQ(Sqlite(path).ask("SELECT schema_version FROM tenure_meta"),
            std::to_string(sqlite::kSchemaVersion));
  EXPECT_EQ(Sqlite(path).ask("PRAGMA journal_mode"), "wal");
}

TEST_F(SqliteOpen, many_at_once_migrate_once) {
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<SqliteStore>> stores(8);
  for (std::size_t i = 0; i < stores.size(); ++i)
    threads.emplace_back([&, i] { stores[i] = store_at(path); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& store : stores) ASSERT_NE(store, nullptr);
  for (std::uint32_t i = 0; i < stores.size(); ++i)
    EXPECT_EQ(stores[i]->execute(put(i), Duration::seconds(10)).outcome, RequestOutcome::applied);
  EXPECT_EQ(schedules_in(*stores.front()).size(), stores.size());
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_meta"), "1");
}

TEST_F(SqliteOpen, shares_a_file_with_the_tables_of_others) {
  Sqlite(path).execute("CREATE TABLE mine (x); INSERT INTO mine VALUES (42); PRAGMA user_version = 7");
  EXPECT_EQ(store_at(path)->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  EXPECT_EQ(Sqlite(path).ask("SELECT x FROM mine"), "42");
  EXPECT_EQ(Sqlite(path).ask("PRAGMA user_version"), "7");
}

TEST_F(SqliteOpen, adds_no_tables_to_those_of_others_if_it_is_to_have_the_file_alone) {
  const auto refused = [&] {
    const auto opened = SqliteStore::open({.path = path, .shares_file = false});
    const auto* error = std::get_if<OpenError>(&opened);
    return error == nullptr ? "" : error->message;
  };
  Sqlite(path).execute("CREATE TABLE mine (x)");
  EXPECT_THAT(refused(), ::testing::HasSubstr("another program (it has `mine`)"));
  Sqlite(path).execute("DROP TABLE mine; PRAGMA application_id = 42");
  EXPECT_THAT(refused(), ::testing::HasSubstr("another program (its application_id is 42)"));
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM sqlite_master"), "0");
  Sqlite(path).execute(sqlite::migration_script());
  EXPECT_EQ(refused(), "") << "somebody has added them on purpose";
}

TEST_F(SqliteOpen, works_with_the_next_version_of_the_tables_and_with_no_later_one) {
  store_at(path);
  set_version(sqlite::kNewestSchema);
  EXPECT_EQ(store_at(path)->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  set_version(sqlite::kNewestSchema + 1);
  const OpenError error = error_at(path);
  EXPECT_EQ(error.trouble, StoreError::wrong_schema);
  EXPECT_EQ(error.message, no_use(sqlite::kNewestSchema + 1) + kNewer);
}

TEST_F(SqliteOpen, notices_tables_that_become_too_new_while_it_runs) {
  const auto store = store_at(path);
  set_version(sqlite::kNewestSchema + 1);
  const Answer answer = store->execute(put(1), kSecond);
  EXPECT_EQ(answer.outcome, RequestOutcome::rejected);
  EXPECT_EQ(answer.trouble, StoreError::wrong_schema);
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_schedule"), "0");
}

// By made-up programs of the next version and of the one after it: nothing but this version was released.
TEST_F(SqliteOpen, migrates_filled_tables_step_by_step) {
  const std::int64_t next = sqlite::kSchemaVersion + 1;
  const auto running = store_at(path);
  EXPECT_EQ(running->execute(put(1), kSecond).outcome, RequestOutcome::applied);

  EXPECT_EQ(open_as(next, false), no_use(sqlite::kSchemaVersion, next) + ": migrate them");
  EXPECT_EQ(open_as(next), "");
  EXPECT_EQ(Sqlite(path).ask("SELECT schema_version FROM tenure_meta"), std::to_string(next));
  // As instances are replaced one by one: this program goes on, and is started again.
  EXPECT_EQ(running->execute(put(2), kSecond).outcome, RequestOutcome::applied);
  EXPECT_EQ(store_at(path)->execute(put(3), kSecond).outcome, RequestOutcome::applied);
  EXPECT_EQ(Sqlite(path).ask("SELECT schema_version FROM tenure_meta"), std::to_string(next));

  // No step is executed twice: a column that is there cannot be added.
  EXPECT_EQ(open_as(next), "");
  EXPECT_EQ(open_as(next + 1), "");
  EXPECT_EQ(
      Sqlite(path).ask(fmt::format("SELECT made_up_{} || made_up_{} FROM tenure_resource", next, next + 1)),
      fmt::format("{}{}", next, next + 1));
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_schedule"), "3");
  EXPECT_EQ(error_at(path).message, no_use(next + 1) + kNewer);
}

// A file is not read on trust: what others wrote into it is text like any other.
TEST_F(SqliteOpen, reads_labels_and_payloads_whatever_stands_there) {
  const auto store = store_at(path);
  const Definition every = put(1).definition;
  const reference::Payload mail{
      .topic = "mail", .type = {}, .data = "{}", .labels = {{"team", "ops"}}, .description = {}};
  ASSERT_EQ(store->execute(reference::PutNamed{kResource, "report", {}, every, mail, ""}, kSecond).outcome,
            RequestOutcome::applied);
  for (const std::string labels : {"", "no JSON", "[1]", R"({"a":1})"}) {
    Sqlite(path).execute("UPDATE tenure_payload SET labels = '" + labels + "'");
    const Answer answer = store->execute(reference::ReadNamed{kResource, "report"}, kSecond);
    ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
    EXPECT_TRUE(std::get<reference::NamedSchedules>(answer.reply).schedules.at(0).payload.labels.empty());
  }
}

// A definition of a newer program, which says in its own way what it does.
TEST_F(SqliteOpen, a_definition_that_it_cannot_read_stays_paused_and_is_not_paused) {
  const auto store = store_at(path);
  ASSERT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  Sqlite(path).execute("UPDATE tenure_change SET definition = '{\"v\":7,\"paused\":false}'");
  Answer answer = store->execute(reference::PauseNamed{kResource, "1", true, "ann", ""}, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  EXPECT_EQ(std::get<reference::NamedRefused>(answer.reply).why, reference::EditDenial::unreadable);
  Sqlite(path).execute("UPDATE tenure_change SET definition = '{\"v\":7,\"paused\":true}'");
  answer = store->execute(reference::ReadNamed{kResource, "1"}, kSecond);
  const auto& read = std::get<reference::NamedSchedules>(answer.reply).schedules;
  ASSERT_EQ(read.size(), 1u);
  EXPECT_TRUE(read[0].unreadable);
  EXPECT_TRUE(read[0].pause.has_value());
  answer = store->execute(
      reference::PutNamed{kResource, "1", reference::Edition{{1}, 1}, put(1).definition, {}, "ann"}, kSecond);
  EXPECT_EQ(std::get<reference::NamedEdited>(answer.reply).edition.version, 2u);
  EXPECT_EQ(
      Sqlite(path).ask("SELECT json_extract(definition, '$.paused') FROM tenure_change WHERE version = 2"),
      "1");
}

TEST_F(SqliteOpen, makes_no_tables_when_it_must_not) {
  auto opened = SqliteStore::open({.path = path, .zones = &few_zones(), .migrate = false});
  ASSERT_TRUE(std::holds_alternative<OpenError>(opened));
  EXPECT_EQ(std::get<OpenError>(opened).trouble, StoreError::wrong_schema);
  EXPECT_NE(std::get<OpenError>(opened).message.find("has no tables of Tenure"), std::string::npos);
  EXPECT_NE(std::get<OpenError>(opened).message.find("`tenure print migrations sqlite`"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
  Sqlite(path).execute("BEGIN;" + sqlite::migration_script() + "COMMIT");
  opened = SqliteStore::open({.path = path, .zones = &few_zones(), .migrate = false});
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<SqliteStore>>(opened)) << "with a tool of their own";
}

// One definition that a program cannot read must not keep it from the others (decision 17).
TEST_F(SqliteOpen, a_definition_that_it_cannot_read_is_named_and_stops_nothing) {
  reference::PutSchedule berlin = put(1);
  berlin.definition.recurrence =
      CronRule{std::make_shared<const Cron>(cron_of("0 9 * * *")), few_zones().find("Europe/Berlin")};
  ASSERT_EQ(store_at(path)->execute(berlin, kSecond).outcome, RequestOutcome::applied);
  ASSERT_EQ(store_at(path)->execute(put(2), kSecond).outcome, RequestOutcome::applied);
  auto opened = SqliteStore::open({.path = path});
  const auto& store = std::get<std::unique_ptr<SqliteStore>>(opened);
  const Answer answer = store->execute(reference::ChangesSince{kResource, 0, 10}, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied);
  const auto& changes = std::get<reference::Changes>(answer.reply).changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_TRUE(changes[0].unreadable);
  EXPECT_FALSE(changes[1].unreadable);
  EXPECT_EQ(changes[1].definition, put(2).definition);
  ASSERT_EQ(answer.warnings.size(), 1u);
  EXPECT_NE(answer.warnings[0].find(
                "schedule 1, version 1: this program cannot read its definition (cron.zone: the "
                "schedule is in time zone `Europe/Berlin`"),
            std::string::npos)
      << answer.warnings[0];
}

TEST_F(SqliteOpen,
       a_definition_that_it_cannot_read_can_be_replaced_and_deleted_and_leaves_its_slots_to_a_leader) {
  for (const std::uint32_t schedule : {1u, 2u}) {
    reference::PutSchedule from_the_future = put(schedule);
    ASSERT_EQ(store_at(path)->execute(from_the_future, kSecond).outcome, RequestOutcome::applied);
  }
  Sqlite(path).execute("UPDATE tenure_change SET definition = '{\"v\":7}'");
  Sqlite(path).execute("UPDATE tenure_segment SET cursor_us = begin_us");
  const auto store = store_at(path);
  reference::PutSchedule better = put(1);
  better.expected_version = 1;
  Answer answer = store->execute(better, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  EXPECT_EQ(std::get<reference::Edited>(answer.reply).version, 2u);
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_segment WHERE schedule = 1"), "2")
      << "a slot of the old version may be left, and nobody here can say";
  answer = store->execute(reference::DeleteSchedule{kResource, {2}, 1}, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_segment WHERE schedule = 2"), "0");
}

TEST_F(SqliteOpen, says_what_stands_in_its_place) {
  const OpenError is_folder = error_at(folder.path());
  EXPECT_EQ(is_folder.trouble, StoreError::unreachable);
  EXPECT_NE(is_folder.message.find("is a folder"), std::string::npos) << is_folder.message;
  const OpenError nowhere = error_at(folder.path() + "/no/tenure.db");
  EXPECT_EQ(nowhere.message, folder.path() + "/no/tenure.db: there is no folder " + folder.path() + "/no");
  EXPECT_EQ(error_at("").trouble, StoreError::unreachable);
  const OpenError long_name = error_at(folder.path() + "/" + std::string(10'000, 'x'));
  EXPECT_EQ(long_name.trouble, StoreError::unreachable);
  EXPECT_NE(long_name.message.find(": it cannot be opened (SQLite: "), std::string::npos)
      << long_name.message;

  std::ofstream(path) << std::string(8'192, 'x');
  const OpenError text = error_at(path);
  EXPECT_EQ(text.trouble, StoreError::corrupt);
  EXPECT_NE(text.message.find("not an SQLite database"), std::string::npos) << text.message;
}

TEST_F(SqliteOpen, a_name_is_a_name) {
  for (const std::string name : {"'; DROP TABLE tenure_meta; --", "file:x?mode=ro", "a b%20c#d"}) {
    const std::string before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    EXPECT_EQ(store_at(name)->execute(put(1), kSecond).outcome, RequestOutcome::applied) << name;
    EXPECT_TRUE(std::filesystem::exists(folder.path() + "/" + name)) << name;
    std::filesystem::current_path(before);
  }
}

// As an account that may read the file and its folder, and no more: root may everything.
TEST_F(SqliteOpen, says_that_a_file_may_only_be_read) {
  store_at(path)->execute(put(1), kSecond);
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && setuid(65'534) != 0) _exit(1);
    auto opened = open_store(path);
    const auto* error = std::get_if<OpenError>(&opened);
    const std::string said =
        error == nullptr ? "opened" : std::string(name_of(error->trouble)) + ": " + error->message;
    _exit(write(ends[1], said.data(), said.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  char said[1'024] = {};
  EXPECT_GT(read(ends[0], said, sizeof said - 1), 0);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(std::string(said).rfind("read only: ", 0), 0u) << said;
  EXPECT_NE(std::string(said).find("needs to write the file and its folder"), std::string::npos) << said;
}

}  // namespace
}  // namespace tenure::testing
