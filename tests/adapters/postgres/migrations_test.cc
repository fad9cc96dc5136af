// Migration from one version of the tables to the next, by made-up programs: nothing but this version was released.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "adapters/postgres/migrate.h"
#include "tests/adapters/postgres/cluster.h"
#include "tests/adapters/postgres/schema_fixture.h"
#include "tests/support/zones.h"

namespace tenure::pgtest {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kNext = postgres::kSchemaVersion + 1;
constexpr const char* kNewer =
    "run a newer program; if a build from before 0.1.0 made them, make a new database";

// The tables of the next version have one column more, and those of each version after it too. Each version has a
// function of its own for programs and for consumers.
class PostgresMigrations : public PostgresSchema {
 protected:
  static std::string migrations_up_to(std::int64_t version) {
    const std::string all(postgres::migrations());
    const std::size_t functions = all.find("-- functions: ");
    std::string steps, made;
    for (std::int64_t number = kNext; number <= version; ++number) {
      steps += fmt::format(
          "-- migration {0}: made up\n"
          "ALTER TABLE tenure.lease ADD COLUMN made_up_{0} bigint NOT NULL DEFAULT {0};\n",
          number);
      made += fmt::format(
          "CREATE OR REPLACE FUNCTION tenure.made_up_{0}() RETURNS bigint LANGUAGE sql SECURITY DEFINER "
          "SET search_path = pg_catalog, pg_temp AS $$ SELECT max(made_up_{0}) FROM tenure.lease $$;\n",
          number);
    }
    const std::size_t rights = all.find("-- ---- rights:");
    EXPECT_NE(rights, std::string::npos);
    return all.substr(0, functions) + steps + all.substr(functions, rights - functions) + made +
           all.substr(rights);
  }
  // Opens the store as a program of that version. Returns its message if it refuses.
  std::optional<std::string> open_as(std::int64_t version, bool may_change = true,
                                     const std::string& role = {}) {
    const std::string migrations = migrations_up_to(version);
    const postgres::Deadline deadline = postgres::deadline_after(kPatience);
    postgres::PostgresConnection connection(role.empty() ? database_.connection() : as(role), true, deadline);
    const auto error = postgres::migrate(connection, may_change, deadline, deadline, {migrations, version});
    return error ? std::optional(error->message) : std::nullopt;
  }
  std::string version() { return owner_.ask("SELECT schema_version FROM tenure.meta"); }
  // The message of a program that does not work with these tables.
  static std::string words(std::int64_t found, std::int64_t program, const std::string& help) {
    return fmt::format("its tables are of version {}, and this program works with {} and {}: {}", found,
                       program, program + 1, help);
  }
};

TEST_F(PostgresMigrations, upgrades_filled_tables_step_by_step) {
  lead();
  const std::string before = owner_.ask("SELECT change::text FROM tenure.change");
  EXPECT_NE(before, "");
  EXPECT_EQ(open_as(kNext + 1), std::nullopt);
  EXPECT_EQ(version(), std::to_string(kNext + 1));
  EXPECT_EQ(owner_.ask(fmt::format("SELECT (epoch, made_up_{}, made_up_{})::text FROM tenure.lease", kNext,
                                   kNext + 1)),
            fmt::format("(1,{},{})", kNext, kNext + 1));
  EXPECT_EQ(owner_.ask("SELECT change::text FROM tenure.change"), before);
  // No step is executed twice: a column that is there cannot be added.
  EXPECT_EQ(open_as(kNext + 1), std::nullopt);
}

TEST_F(PostgresMigrations, makes_all_functions_again) {
  owner_.ask(
      "CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT "
      "5::bigint'");
  EXPECT_EQ(open_as(kNext), std::nullopt);
  EXPECT_NE(owner_.ask("SELECT tenure.now_us()"), "5");
}

TEST_F(PostgresMigrations, accounts_may_call_new_functions) {
  const std::string role = database_.name() + "_app";
  owner_.ask(fmt::format("CREATE ROLE {0} LOGIN PASSWORD 'pw'; SELECT tenure.grant_run('{0}')", role));
  EXPECT_EQ(open_as(kNext), std::nullopt);
  EXPECT_EQ(open_as(kNext, false, role), std::nullopt);
  EXPECT_EQ(Raw(as(role)).ask(fmt::format("SELECT tenure.made_up_{}()", kNext)), "");
  EXPECT_EQ(
      owner_.ask("SELECT count(*) FROM pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) a "
                 "WHERE pronamespace = 'tenure'::regnamespace AND a.grantee = 0"),
      "0");
  owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", role));
}

// Of a version before that had no way to give an event back.
TEST_F(PostgresMigrations, consumers_may_call_new_functions) {
  const std::string give_back = "tenure.give_back(text, bigint)";
  const std::string role = database_.name() + "_consumer";
  EXPECT_EQ(owner_.ask("DROP FUNCTION " + give_back), "");
  owner_.ask(fmt::format("CREATE ROLE {0}; SELECT tenure.grant_consume('{0}')", role));
  EXPECT_EQ(open_as(kNext), std::nullopt);
  const auto may = [&](const std::string& function) {
    return owner_.ask(fmt::format("SELECT has_function_privilege('{}', '{}', 'EXECUTE')", role, function));
  };
  EXPECT_EQ(may(give_back), "t");
  EXPECT_EQ(may("tenure.branch()"), "f");
  owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", role));
}

TEST_F(PostgresMigrations, refuses_older_tables_if_it_may_not_migrate) {
  const std::string role = database_.name() + "_app";
  owner_.ask(fmt::format("CREATE ROLE {0} LOGIN PASSWORD 'pw'; SELECT tenure.grant_run('{0}')", role));
  const auto told = open_as(kNext, false);
  const auto by_others = open_as(kNext, true, role);
  const std::string objection = words(postgres::kSchemaVersion, kNext, "migrate them");
  EXPECT_THAT(told.value_or("nothing"), HasSubstr(objection));
  EXPECT_THAT(by_others.value_or("nothing"), HasSubstr(objection + "; this account may not"));
  EXPECT_EQ(version(), std::to_string(postgres::kSchemaVersion));
  owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", role));
}

// As instances are replaced one by one: the first new one migrates while this one runs.
TEST_F(PostgresMigrations, programs_of_the_version_before_go_on) {
  lead();
  const auto running = database_.open();
  EXPECT_EQ(open_as(kNext), std::nullopt);
  const auto started = database_.open();
  ASSERT_NE(started, nullptr);
  std::uint32_t schedule = 2;
  for (const auto& store : {running.get(), started.get()}) {
    const Definition hourly{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
    EXPECT_EQ(outcome(store->execute(reference::PutSchedule{kResource, {schedule}, 0, hourly}, kPatience)),
              "applied");
    EXPECT_EQ(outcome(store->execute(reference::TriggerSchedule{kResource, {schedule}, 5, {}}, kPatience)),
              "applied");
    ++schedule;
  }
  EXPECT_EQ(owner_.ask("SELECT count(*) FROM tenure.outbox"), "2");
  EXPECT_EQ(version(), std::to_string(kNext)) << "and nobody migrates back";
}

TEST_F(PostgresMigrations, refuses_tables_that_are_newer_than_the_next) {
  EXPECT_EQ(open_as(kNext + 1), std::nullopt);
  for (const bool may_change : {true, false}) {
    auto opened = PostgresStore::open({.connection = database_.connection(), .migrate = may_change});
    ASSERT_NE(std::get_if<OpenError>(&opened), nullptr);
    const OpenError& error = std::get<OpenError>(opened);
    EXPECT_EQ(error.trouble, StoreError::wrong_schema);
    EXPECT_THAT(error.message, HasSubstr(words(kNext + 1, postgres::kSchemaVersion, kNewer)));
  }
}

}  // namespace
}  // namespace tenure::pgtest
