// A real server is measured, and nothing is left in it.
#include "adapters/postgres/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/adapters/postgres/cluster.h"

namespace tenure::pgtest {
namespace {

using ::testing::HasSubstr;

constexpr Duration kTimeout = kPatience;

std::unique_ptr<StoreProbe> probe_of(const std::string& connection) {
  ProbeOpened opened = postgres::open_probe(connection, kTimeout);
  if (const auto* error = std::get_if<OpenError>(&opened)) {
    ADD_FAILURE() << error->message;
    return nullptr;
  }
  return std::move(std::get<std::unique_ptr<StoreProbe>>(opened));
}

OpenError refused(const std::string& connection) {
  ProbeOpened opened = postgres::open_probe(connection, kTimeout);
  const auto* error = std::get_if<OpenError>(&opened);
  EXPECT_NE(error, nullptr) << connection;
  return error == nullptr ? OpenError{} : *error;
}

TEST(PostgresProbe, reads_the_servers_clock) {
  const auto probe = probe_of("dbname=postgres");
  const auto answer = probe->read_clock();
  ASSERT_TRUE(std::holds_alternative<StoreTime>(answer)) << std::get<OpenError>(answer).message;
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const std::int64_t apart = now.count() - std::get<StoreTime>(answer).ns();
  EXPECT_GE(apart, -1'000'000'000);
  EXPECT_LE(apart, 60'000'000'000) << "it is this machine's clock too";
  EXPECT_FALSE(probe->shares_our_clock());
}

TEST(PostgresProbe, commits_to_the_log_and_leaves_no_row_and_no_relation) {
  FreshDatabase database;
  Raw outside(database.connection());
  const auto relations = [&] { return outside.ask("SELECT count(*) FROM pg_class"); };
  const auto flushed = [&] { return outside.ask("SELECT pg_current_wal_flush_lsn() - '0/0'"); };
  const auto probe = probe_of(database.connection());
  const std::string before = relations();
  for (int i = 0; i < 3; ++i) {
    const std::string log = flushed();
    ASSERT_FALSE(probe->commit());
    EXPECT_GT(std::stoll(flushed()), std::stoll(log)) << "a commit is in the log, and the log on the disk";
  }
  EXPECT_EQ(relations(), before);
  EXPECT_EQ(
      outside.ask("SELECT count(*) FROM pg_locks WHERE pid <> pg_backend_pid() AND locktype = 'relation' "
                  "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"),
      "0");
}

TEST(PostgresProbe, a_read_writes_nothing) {
  FreshDatabase database;
  Raw outside(database.connection());
  const auto probe = probe_of(database.connection());
  const std::string next = outside.ask("SELECT pg_snapshot_xmax(pg_current_snapshot())");
  for (int i = 0; i < 5; ++i) probe->read_clock();
  EXPECT_EQ(outside.ask("SELECT pg_snapshot_xmax(pg_current_snapshot())"), next)
      << "no transaction id was taken";
}

TEST(PostgresProbe, says_why_a_server_will_not_do) {
  EXPECT_EQ(refused("host=127.0.0.1 port=1 dbname=postgres").trouble, StoreError::unreachable);
  EXPECT_EQ(refused("dbname=there-is-none").trouble, StoreError::unreachable);
  const OpenError stranger = refused("host=localhost dbname=postgres user=nobody password=wrong");
  EXPECT_EQ(stranger.trouble, StoreError::not_permitted);
  EXPECT_THAT(stranger.message, HasSubstr("wrong name or password"));
  EXPECT_THAT(stranger.message, Not(HasSubstr("password=wrong")));
}

TEST(PostgresProbe, a_connection_that_breaks_is_an_error_in_words) {
  FreshDatabase database;
  Raw outside("dbname=postgres");
  const auto probe = probe_of(database.connection());
  outside.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + database.name() +
              "'");
  const auto error = probe->commit();
  ASSERT_TRUE(error);
  EXPECT_FALSE(error->message.empty());
}

}  // namespace
}  // namespace tenure::pgtest
