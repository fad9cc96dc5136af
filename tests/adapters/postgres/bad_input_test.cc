// Servers, accounts and tables that will not do: the cause in words, and nothing lost.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "adapters/postgres/connection.h"
#include "adapters/postgres/hosts.h"
#include "adapters/postgres/listener.h"
#include "adapters/postgres/migrate.h"
#include "tests/adapters/postgres/cluster.h"
#include "tests/support/definitions.h"
#include "tests/support/temporary.h"
#include "tests/support/zones.h"

namespace tenure::pgtest {
namespace {

using ::testing::HasSubstr;

// Of the environment, for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class PostgresBadInput : public ::testing::Test {
 protected:
  static OpenError refused(const std::string& connection, bool migrate = true) {
    auto opened = PostgresStore::open({.connection = connection,
                                       .zones = &testing::few_zones(),
                                       .timeout = Duration::seconds(20),
                                       .migrate = migrate});
    const auto* error = std::get_if<OpenError>(&opened);
    EXPECT_NE(error, nullptr);
    return error == nullptr ? OpenError{} : *error;
  }
  void expect(const OpenError& error, StoreError trouble, const std::string& words) {
    EXPECT_EQ(error.trouble, trouble) << error.message;
    EXPECT_THAT(error.message, HasSubstr(words));
  }
  std::string as(const std::string& role) const {
    return fmt::format("{} user={} password=pw host=localhost", database_.connection(), role);
  }

  FreshDatabase database_;
  Raw owner_{database_.connection()};
};

TEST_F(PostgresBadInput, places_that_do_not_answer_and_accounts_that_may_not_enter_are_named) {
  expect(refused("host=127.0.0.1 port=1"), StoreError::unreachable, "\"127.0.0.1\", port 1");
  expect(refused("dbname=nowhere"), StoreError::unreachable, "there is no such database");
  expect(refused("host=localhost user=postgres password=wrong"), StoreError::not_permitted,
         "wrong name or password");
  expect(refused("host=localhost user=nobody_at_all password=x"), StoreError::not_permitted,
         "wrong name or password");
  expect(refused("host=localhost prot=5432"), StoreError::failed,
         "the connection string is wrong (Postgres: it has an option that libpq does not know; did you mean "
         "\"port\"?)");
}

TEST_F(PostgresBadInput, an_account_without_rights_is_told_which_and_works_once_it_has_them) {
  const std::string role = database_.name() + "_app";
  owner_.ask(fmt::format("CREATE ROLE {} LOGIN PASSWORD 'pw'", role));
  expect(refused(as(role), false), StoreError::not_permitted, "tenure.grant_run");
  owner_.ask(fmt::format("GRANT USAGE ON SCHEMA tenure TO {0}; GRANT SELECT ON tenure.meta TO {0}", role));
  expect(refused(as(role), false), StoreError::not_permitted,
         "the account may not: EXECUTE on tenure.ack, tenure.acknowledge_events, tenure.acquire, ");
  EXPECT_EQ(owner_.ask(fmt::format("SELECT tenure.grant_run('{}')", role)), "");
  auto opened =
      PostgresStore::open({.connection = as(role), .zones = &testing::few_zones(), .migrate = false});
  auto& store = std::get<std::unique_ptr<PostgresStore>>(opened);
  EXPECT_EQ(outcome(store->execute(reference::Acquire{kResource, node(1), 0, 7, kSecond}, kPatience)),
            "applied");
  const Definition definition{.recurrence = Interval{StoreTime{}, kSecond}};
  EXPECT_EQ(outcome(store->execute(reference::PutSchedule{kResource, {1}, 0, definition}, kPatience)),
            "applied");
  // Taken away again while it runs: said, and nothing is done.
  owner_.ask(fmt::format("REVOKE EXECUTE ON FUNCTION tenure.acquire FROM {}", role));
  EXPECT_EQ(outcome(store->execute(reference::Acquire{kResource, node(1), 1, 7, kSecond}, kPatience)),
            "rejected: not permitted");
  expect(refused(as(role), false), StoreError::not_permitted,
         "the account may not: EXECUTE on tenure.acquire;");
  store.reset();
  owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", role));
}

// GRANT itself only warns of it.
TEST_F(PostgresBadInput, an_account_that_may_not_grant_rights_is_told_so_and_grants_none) {
  const std::string role = database_.name() + "_app";
  const std::string other = database_.name() + "_other";
  for (const std::string& one : {role, other})
    owner_.ask(fmt::format("CREATE ROLE {} LOGIN PASSWORD 'pw'", one));
  owner_.ask(fmt::format("SELECT tenure.grant_run('{}')", role));
  {
    Raw app(as(role));
    EXPECT_EQ(app.ask(fmt::format("SELECT tenure.grant_run('{}')", other)), "!42501");
    EXPECT_EQ(app.ask(fmt::format("SELECT tenure.grant_guard('{}')", other)), "!42501");
  }
  expect(refused(as(other), false), StoreError::not_permitted, "tenure.grant_run");
  for (const std::string& one : {role, other})
    owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", one));
}

TEST_F(PostgresBadInput, a_guard_needs_no_rights_on_the_tables) {
  const std::string role = database_.name() + "_user";
  owner_.ask(fmt::format("CREATE ROLE {} LOGIN PASSWORD 'pw'", role));
  {
    EXPECT_EQ(Raw(as(role)).ask("SELECT tenure.assert_epoch(1, 1, 1)"), "!42501");
    owner_.ask(fmt::format("SELECT tenure.grant_guard('{}')", role));
    EXPECT_EQ(Raw(as(role)).ask("SELECT tenure.assert_epoch(1, 1, 1)"), "!TN001");
    EXPECT_EQ(Raw(as(role)).ask("SELECT * FROM tenure.lease"), "!42501");
  }
  owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", role));
}

TEST_F(PostgresBadInput, a_name_is_a_name_whatever_it_says_and_however_long_it_is) {
  const std::string sql = "x'; DROP SCHEMA tenure CASCADE; --";
  const std::string in_words = "'x\\'; DROP SCHEMA tenure CASCADE; --'";
  expect(refused("dbname=" + in_words), StoreError::unreachable, "there is no such database");
  // The server would hang up without a word.
  const std::string long_name(10'000, 'y');
  for (const char* keyword : {"dbname", "user", "host", "application_name"})
    expect(refused(fmt::format("host=localhost {}={}", keyword, long_name)), StoreError::failed,
           fmt::format("Postgres: the connection string is wrong (Postgres: {} has 10000 bytes, and no name "
                       "is that long)",
                       keyword));
  expect(refused(long_name), StoreError::failed, "dbname has 10000 bytes, and no name is that long");
  // An account of that name, and a database.
  Raw control("dbname=postgres");
  const std::string quoted = "\"" + sql + "\"";
  owner_.ask(fmt::format("CREATE ROLE {} LOGIN PASSWORD 'pw'", quoted));
  EXPECT_EQ(
      owner_.ask(fmt::format("SELECT tenure.grant_run({})", "'\"x''; DROP SCHEMA tenure CASCADE; --\"'")),
      "");
  auto opened =
      PostgresStore::open({.connection = as(in_words), .zones = &testing::few_zones(), .migrate = false});
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<PostgresStore>>(opened))
      << std::get<OpenError>(opened).message;
  opened = OpenError{};
  owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", quoted));
  EXPECT_EQ(control.ask(fmt::format("CREATE DATABASE {} TEMPLATE tenure_template", quoted)), "");
  opened = PostgresStore::open({.connection = "dbname=" + in_words, .zones = &testing::few_zones()});
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<PostgresStore>>(opened))
      << std::get<OpenError>(opened).message;
  opened = OpenError{};
  EXPECT_EQ(control.ask(fmt::format("DROP DATABASE {} WITH (FORCE)", quoted)), "");
}

TEST_F(PostgresBadInput, tables_of_the_next_version_will_do_and_those_after_it_will_not) {
  owner_.ask(fmt::format("UPDATE tenure.meta SET schema_version = {}", postgres::kNewestSchema));
  EXPECT_NE(database_.open(), nullptr);
  owner_.ask(fmt::format("UPDATE tenure.meta SET schema_version = {}", postgres::kNewestSchema + 1));
  expect(refused(database_.connection()), StoreError::wrong_schema, "run a newer program");
  owner_.ask("DROP SCHEMA tenure CASCADE");
  expect(refused(database_.connection(), false), StoreError::wrong_schema,
         "has no tables of Tenure; an account with the rights has to make them: `tenure print migrations "
         "postgres`");
}

TEST_F(PostgresBadInput, tables_that_say_no_version_are_not_those_of_tenure) {
  for (const char* spoil :
       {"UPDATE tenure.meta SET schema_version = 0", "UPDATE tenure.meta SET schema_version = -1",
        "DELETE FROM tenure.meta", "ALTER TABLE tenure.meta RENAME schema_version TO other",
        "DROP TABLE tenure.meta"}) {
    owner_.ask(spoil);
    expect(refused(database_.connection()), StoreError::wrong_schema, "not Tenure's");
  }
}

TEST_F(PostgresBadInput, an_account_that_may_not_make_the_tables_is_told_who_may) {
  owner_.ask("DROP SCHEMA tenure CASCADE");
  const std::string role = database_.name() + "_guest";
  owner_.ask(fmt::format("CREATE ROLE {} LOGIN PASSWORD 'pw'", role));
  const OpenError error = refused(as(role));
  expect(error, StoreError::not_permitted, "has no tables of Tenure");
  expect(error, StoreError::not_permitted, "`tenure print migrations postgres`");
  expect(error, StoreError::not_permitted, "GRANT CREATE ON DATABASE");
  EXPECT_THAT(error.message, Not(HasSubstr("grant_run")));
  owner_.ask(fmt::format("GRANT CREATE ON DATABASE {} TO {}", database_.name(), role));
  EXPECT_TRUE(
      std::holds_alternative<std::unique_ptr<PostgresStore>>(PostgresStore::open({.connection = as(role)})));
  owner_.ask(fmt::format("DROP OWNED BY {0} CASCADE; DROP ROLE {0}", role));
}

// One definition that a program cannot read must not keep it from the others (decision 17).
TEST_F(PostgresBadInput, a_definition_that_it_cannot_read_is_named_and_stops_nothing) {
  const Definition berlin{.recurrence = CronRule{std::make_shared<const Cron>(testing::cron_of("0 9 * * *")),
                                                 testing::few_zones().find("Europe/Berlin")}};
  const Definition hourly{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
  for (const std::uint32_t schedule : {1u, 2u, 3u})
    ASSERT_EQ(
        outcome(database_.open()->execute(
            reference::PutSchedule{kResource, {schedule}, 0, schedule == 3 ? hourly : berlin}, kPatience)),
        "applied");
  auto opened = PostgresStore::open({.connection = database_.connection()});
  const auto& store = std::get<std::unique_ptr<PostgresStore>>(opened);
  const Answer answer = store->execute(reference::ChangesSince{kResource, 0, 10}, kPatience);
  ASSERT_EQ(outcome(answer), "applied");
  const auto& changes = std::get<reference::Changes>(answer.reply).changes;
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_TRUE(changes[0].unreadable);
  EXPECT_FALSE(changes[2].unreadable);
  EXPECT_EQ(changes[2].definition, hourly);
  ASSERT_EQ(answer.warnings.size(), 2u);
  EXPECT_THAT(
      answer.warnings[0],
      HasSubstr("schedule 1, version 1: this program cannot read its definition (cron.zone: the schedule "
                "is in time zone `Europe/Berlin`"));
  EXPECT_EQ(outcome(store->execute(reference::PutSchedule{kResource, {1}, 1, hourly}, kPatience)), "applied");
  EXPECT_EQ(outcome(store->execute(reference::DeleteSchedule{kResource, {2}, 1}, kPatience)), "applied");
}

TEST_F(PostgresBadInput, tables_that_are_taken_away_are_missed_and_nothing_hangs) {
  const auto store = database_.open();
  owner_.ask("DROP SCHEMA tenure CASCADE");
  EXPECT_EQ(outcome(store->execute(reference::ReadOutbox{kResource, 1, 0}, kPatience)),
            "rejected: wrong schema");
}

TEST_F(PostgresBadInput, a_server_that_may_only_be_read_is_refused_at_once_and_when_it_becomes_one) {
  const auto store = database_.open();
  owner_.ask(fmt::format("ALTER DATABASE {} SET default_transaction_read_only = on", database_.name()));
  expect(refused(database_.connection()), StoreError::read_only, "may only be read");
  EXPECT_EQ(outcome(store->execute(reference::ReadOutbox{kResource, 1, 0}, kPatience)), "applied");
}

TEST_F(PostgresBadInput, instances_that_start_at_once_on_an_empty_database_make_the_tables_once) {
  owner_.ask("DROP SCHEMA tenure CASCADE");
  std::vector<std::future<std::unique_ptr<PostgresStore>>> opened;
  for (int i = 0; i < 6; ++i)
    opened.push_back(std::async(std::launch::async, [this] { return database_.open(); }));
  for (auto& store : opened) EXPECT_NE(store.get(), nullptr);
  EXPECT_EQ(owner_.ask("SELECT count(*) FROM tenure.meta"), "1");
}

TEST_F(PostgresBadInput, printed_migrations_make_the_tables_too) {
  owner_.ask("DROP SCHEMA tenure CASCADE");
  EXPECT_EQ(owner_.ask(postgres::migration_script()), "");
  EXPECT_NE(database_.open(), nullptr);
}

TEST_F(PostgresBadInput,
       a_listener_hears_changes_and_after_its_connection_broke_says_what_it_may_have_missed) {
  const auto store = database_.open();
  PostgresListener listener(database_.connection(), Duration::millis(50));
  EXPECT_TRUE(listener.wait(kPatience).missed);
  const Definition definition{.recurrence = Interval{StoreTime{}, kSecond}};
  store->execute(reference::PutSchedule{kResource, {1}, 0, definition}, kPatience);
  const std::vector<Notification> changed{{Notification::What::schedules_changed, kResource}};
  EXPECT_EQ(listener.wait(kPatience).notifications, changed);
  store->execute(reference::TriggerSchedule{kResource, {1}, 5, {}}, kPatience);
  const std::vector<Notification> added{{Notification::What::events_added, kResource}};
  EXPECT_EQ(listener.wait(kPatience).notifications, added);
  owner_.ask("NOTIFY tenure, 'words of a later version'");

  owner_.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN tenure'");
  bool missed = false;
  for (int i = 0; i < 600 && !missed; ++i) missed = listener.wait(Duration::millis(100)).missed;
  EXPECT_TRUE(missed);
  store->execute(reference::PutSchedule{kResource, {2}, 0, definition}, kPatience);
  EXPECT_EQ(listener.wait(kPatience).notifications, changed);
}

// As a migration to the next version may do; what a connection had prepared is of no more use then.
TEST_F(PostgresBadInput, a_function_that_answers_more_costs_one_request_and_not_the_connection) {
  const auto store = database_.open();
  const reference::ReadOutbox request{kResource, 1, 0};
  EXPECT_EQ(outcome(store->execute(request, kPatience)), "applied");
  EXPECT_EQ(owner_.ask("DO $$ DECLARE made text := pg_get_functiondef('tenure.read_outbox'::regproc); BEGIN "
                       "DROP FUNCTION tenure.read_outbox; "
                       "EXECUTE replace(made, 'OUT push_waits', 'OUT more int, OUT push_waits'); END $$"),
            "");
  EXPECT_EQ(outcome(store->execute(request, kPatience)), "rejected: failed");
  EXPECT_EQ(outcome(store->execute(request, kPatience)), "applied");
}

// Connecting takes several round trips; over a slow network they do not fit into one short wait.
TEST_F(PostgresBadInput, a_listener_that_is_asked_for_short_waits_connects_all_the_same) {
  PostgresListener listener(database_.connection(), Duration{});
  bool missed = false;
  for (int i = 0; i < 200 && !missed; ++i) missed = listener.wait(Duration::nanos(1)).missed;
  EXPECT_TRUE(missed);
}

// Else whoever ends waits for a connection that nobody needs any more.
TEST_F(PostgresBadInput, a_listener_that_is_to_end_does_not_wait_for_a_server_that_says_nothing) {
  loopback::TcpProxy silent(server_address());
  silent.set_both({.swallow = true});
  PostgresListener listener(fmt::format("host=127.0.0.1 port={} sslmode=disable", silent.port()));
  std::stop_source over;
  listener.end_with(over.get_token());
  auto heard = std::async(std::launch::async, [&] { return listener.wait(Duration::millis(1)); });
  over.request_stop();
  EXPECT_THAT(heard.get().trouble, HasSubstr("stopped before anything answered"));
}

TEST_F(PostgresBadInput, a_host_that_says_nothing_leaves_time_for_the_one_that_does) {
  loopback::TcpProxy silent(server_address());
  silent.set_both({.swallow = true});
  const std::string port = std::getenv("PGPORT") == nullptr ? "5432" : std::getenv("PGPORT");
  auto opened =
      PostgresStore::open({.connection = fmt::format("{} host=127.0.0.1,localhost port={},{} sslmode=disable "
                                                     "target_session_attrs=read-write",
                                                     database_.connection(), silent.port(), port),
                           .zones = &testing::few_zones(),
                           .timeout = Duration::seconds(12)});
  const auto* error = std::get_if<OpenError>(&opened);
  EXPECT_EQ(error, nullptr) << error->message;
}

// A look-up may block for long.
TEST_F(PostgresBadInput, a_name_is_looked_up_only_when_those_before_it_have_been_tried) {
  const std::string port = std::getenv("PGPORT") == nullptr ? "5432" : std::getenv("PGPORT");
  std::vector<std::string> asked;
  std::stop_source over;
  const auto connect = [&](const std::string& words, Duration timeout) {
    asked.clear();
    try {
      postgres::PostgresConnection connection(words, false, postgres::deadline_after(timeout),
                                              over.get_token(), [&](const std::string& name) {
                                                asked.push_back(name);
                                                if (name == "end") over.request_stop();
                                                return std::vector<std::string>{"127.0.0.1", "127.0.0.1"};
                                              });
      return true;
    } catch (const postgres::PostgresFailure&) {
      return false;
    }
  };
  const auto words = [&](const std::string& hosts, const std::string& ports) {
    return fmt::format("{} host={} port={}", database_.connection(), hosts, ports);
  };
  EXPECT_TRUE(connect(words("good,other", port), kSecond * 30));
  EXPECT_EQ(asked, std::vector<std::string>({"good"}));
  EXPECT_TRUE(connect(words("bad,good,other", "1," + port + ",1"), kSecond * 30));
  EXPECT_EQ(asked, std::vector<std::string>({"bad", "good"}));
  // Nor when there is no time for it, or nobody wants it any more.
  EXPECT_FALSE(connect(words("bad,other", "1"), Duration{}));
  EXPECT_EQ(asked, std::vector<std::string>({"bad"}));
  EXPECT_FALSE(connect(words("end,other", "1"), kSecond * 30));
  EXPECT_EQ(asked, std::vector<std::string>({"end"}));
}

// The environment names the server that the other tests use.
TEST_F(PostgresBadInput, a_service_file_comes_before_the_environment) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/services";
  std::ofstream(path) << "[shop]\nhost=127.0.0.1\nport=1\n";
  const Variable file("PGSERVICEFILE", path);
  for (const char* several : {"localhost", "localhost,localhost"}) {
    const Variable hosts("PGHOST", several);
    expect(refused("service=shop"), StoreError::unreachable, "\"127.0.0.1\", port 1");
    const Variable service("PGSERVICE", "shop");
    expect(refused("dbname=" + database_.name()), StoreError::unreachable, "\"127.0.0.1\", port 1");
  }
}

TEST(PostgresHosts, have_the_addresses_that_the_system_knows) {
  const auto known = postgres::addresses_of("localhost");
  EXPECT_FALSE(known.empty());
  for (const std::string& address : known)
    EXPECT_TRUE(address == "::1" || address.starts_with("127.")) << address;
  EXPECT_TRUE(postgres::addresses_of("/var/run/postgresql").empty());
  EXPECT_TRUE(postgres::addresses_of("nobody.invalid").empty());
}

std::string text_of(const std::vector<postgres::ServerHost>& hosts) {
  std::string all;
  for (const postgres::ServerHost& host : hosts)
    all += fmt::format("[{} {} {}]", host.name, host.address, host.port);
  return all;
}

// The name is still what a certificate is held against.
TEST(PostgresHosts, are_taken_by_address_where_a_name_has_several) {
  const auto text = [](const postgres::ServerHost& host) {
    return text_of(postgres::by_address(host, [](const std::string& name) {
      if (name == "two") return std::vector<std::string>{"10.0.0.7", "fd00::7"};
      return std::vector<std::string>{"10.0.0.9"};
    }));
  };
  EXPECT_EQ(text({"two", "", "1"}), "[two 10.0.0.7 1][two fd00::7 1]");
  EXPECT_EQ(text({"one", "", "1"}), "[one  1]");
  EXPECT_EQ(text({"two", "10.0.0.1", "1"}), "[two 10.0.0.1 1]");
}

TEST(PostgresHosts, are_taken_one_by_one_where_there_are_several) {
  const auto text = [](const std::string& words) { return text_of(postgres::hosts_of(words)); };
  EXPECT_EQ(text("host=a,b,c port=1,2,3"), "[a  1][b  2][c  3]");
  EXPECT_EQ(text("postgres://a:1,b:2/shop"), "[a  1][b  2]");
  EXPECT_EQ(text("hostaddr=10.0.0.1,10.0.0.2 host=a,b port=5"), "[a 10.0.0.1 5][b 10.0.0.2 5]");
  EXPECT_EQ(text("host=a port=1"), "[a  1]");
  EXPECT_EQ(text("host=a,b,c port=1,2"), "[  ]");  // libpq says what is wrong with that
  const Variable hosts("PGHOST", "a,b");
  const Variable port("PGPORT", "5");
  EXPECT_EQ(text("shop"), "[a  5][b  5]");
  // Its file may name others.
  EXPECT_EQ(text("service=shop host=a,b"), "[  ]");
  EXPECT_EQ(text("postgres://a,b/shop?service=shop"), "[  ]");
}

}  // namespace
}  // namespace tenure::pgtest
