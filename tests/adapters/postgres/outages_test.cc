// What a program says while a real server does not do what it is asked, and how soon somebody leads.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "adapters/runtime/schedules.h"
#include "tests/adapters/postgres/cluster.h"
#include "tests/adapters/runtime/said.h"
#include "tests/support/zones.h"

namespace tenure::pgtest {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

// A machine that takes connections, and says nothing.
class Silent {
 public:
  Silent() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(listen(socket_, 64), 0);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
  }
  ~Silent() { close(socket_); }
  Silent(const Silent&) = delete;
  int port() const { return port_; }

 private:
  int socket_;
  int port_ = 0;
};

class PostgresOutages : public ::testing::Test {
 protected:
  SchedulesOptions options(const std::string& connection) {
    SchedulesOptions options{
        .id = NodeId{1},
        .connect = connect_with<PostgresStore>({.connection = connection, .zones = &testing::few_zones()})};
    testing::be_quick(options.election);
    return options;
  }
  // Begins to lead over kZero, or whatever a test makes of it.
  void begin(const std::string& connection) {
    schedules_.emplace(runtime_, options(connection), WorkHandler{});
  }
  bool await_leader() {
    for (int i = 0; i < 6'000; ++i) {
      if (owner_.ask("SELECT count(*) FROM tenure.lease WHERE holder_life <> 0") == "1") return true;
      usleep(10'000);
    }
    return false;
  }

  FreshDatabase database_;
  Raw owner_{database_.connection()};
  testing::Said said_;
  Runtime runtime_{{}, said_.sink()};
  std::optional<Schedules> schedules_;
};

TEST_F(PostgresOutages, a_lock_that_somebody_holds_is_said_and_when_it_is_free) {
  begin(database_.connection());
  ASSERT_TRUE(await_leader());
  EXPECT_EQ(owner_.ask("BEGIN; SELECT 1 FROM tenure.lease FOR UPDATE"), "1");
  EXPECT_TRUE(said_.await(": another transaction held the lock beyond the deadline"));
  EXPECT_THAT(said_.text(), HasSubstr(fmt::format("/{}: another transaction", database_.name())));
  owner_.ask("ROLLBACK");
  EXPECT_TRUE(said_.await("works again after "));
  int times = 0;
  for (const std::string& line : said_.all())
    times += line.find("another transaction held the lock") != std::string::npos &&
             line.find("works again") == std::string::npos;
  EXPECT_LE(times, 2) << "once for each kind of request\n" << said_.text();
}

// By the statement_timeout that the client sets, here; a role may have one of its own. The client gives the server nine
// tenths of its time, and on a busy machine the last tenth may pass before the server's word is here: then the answer
// is unknown, which is said too, and what is awaited comes with the next request.
TEST_F(PostgresOutages, a_server_that_ends_what_takes_too_long_is_said) {
  EXPECT_EQ(owner_.ask("CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE AS "
                       "'SELECT pg_sleep(60); SELECT 1::bigint'"),
            "");
  SchedulesOptions patient = options(database_.connection());
  patient.election.set("lease_duration", Duration::seconds(10));
  patient.election.set("request_timeout", Duration::seconds(3));
  schedules_.emplace(runtime_, patient, WorkHandler{});
  const std::string words = ": the deadline passed while it was at work, or somebody cancelled it";
  EXPECT_TRUE(said_.await(words)) << said_.text();
  // Of an acquire or of a read: both are slow, and the cause is said once.
  EXPECT_THAT(said_.all(), Contains(AllOf(HasSubstr("warning: node 1, "), HasSubstr(words))));
}

TEST_F(PostgresOutages, a_server_without_connections_left_is_said) {
  EXPECT_EQ(owner_.ask(fmt::format("ALTER DATABASE {} CONNECTION LIMIT 1", database_.name())), "");
  const std::string role = database_.name() + "_app";
  owner_.ask(fmt::format("CREATE ROLE {} LOGIN PASSWORD 'pw' CONNECTION LIMIT 0", role));
  owner_.ask(fmt::format("SELECT tenure.grant_run('{}')", role));
  begin(fmt::format("{} user={} password=pw host=localhost", database_.connection(), role));
  // Whichever request meets it first says it, and that it works again.
  const std::string words = "the server has no connection left";
  EXPECT_TRUE(said_.await(words));
  EXPECT_THAT(said_.all(), Contains(AllOf(HasSubstr("warning: node 1, "), HasSubstr(words))));
  owner_.ask(fmt::format("ALTER DATABASE {} CONNECTION LIMIT -1", database_.name()));
  owner_.ask(fmt::format("ALTER ROLE {} CONNECTION LIMIT -1", role));
  EXPECT_TRUE(said_.await(": works again after "));
  schedules_.reset();
  runtime_.stop();
  runtime_.wait(kSecond * 10);
  owner_.ask(fmt::format("REASSIGN OWNED BY {0} TO postgres; DROP OWNED BY {0}; DROP ROLE {0}", role));
}

TEST_F(PostgresOutages, a_first_host_that_says_nothing_does_not_keep_anybody_from_leading) {
  const Silent silent;
  const std::string port = std::getenv("PGPORT") == nullptr ? "5432" : std::getenv("PGPORT");
  begin(fmt::format("{} host=127.0.0.1,localhost port={},{}", database_.connection(), silent.port(), port));
  ASSERT_TRUE(await_leader()) << said_.text();
}

// Nor does a server that is alone and says nothing keep its node from saying so.
TEST_F(PostgresOutages, a_server_that_says_nothing_is_named_before_the_lease_would_end) {
  const Silent silent;
  SchedulesOptions long_lease =
      options(fmt::format("{} host=127.0.0.1 port={}", database_.connection(), silent.port()));
  long_lease.election.set("lease_duration", kPatience);
  const auto began = std::chrono::steady_clock::now();
  schedules_.emplace(runtime_, long_lease, WorkHandler{});
  EXPECT_TRUE(said_.await("nothing answered before the deadline"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60));
}

}  // namespace
}  // namespace tenure::pgtest
