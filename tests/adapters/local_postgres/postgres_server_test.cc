// Real servers of our own, broken in each way that a live scenario breaks them.
#include "adapters/local_postgres/postgres_server.h"

#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "adapters/loopback/tcp_proxy.h"
#include "core/base/host_failure.h"

namespace tenure::local_postgres {
namespace {

LocalPostgres quick() { return {.settings = "fsync = off\nfull_page_writes = off"}; }

// The answer's first value; the SQLSTATE, as "!40001", of one that failed; "!" when there is no server to ask.
class Client {
 public:
  explicit Client(const std::string& connection)
      : connection_(PQconnectdb((connection + " connect_timeout=60").c_str()), PQfinish) {}
  bool is_connected() const { return PQstatus(connection_.get()) == CONNECTION_OK; }
  std::string ask(const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_.get(), sql.c_str()),
                                                               PQclear);
    const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    if (state != nullptr) return std::string("!") + state;
    if (PQstatus(connection_.get()) != CONNECTION_OK) return "!";
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
  }
  int backend() const { return PQbackendPID(connection_.get()); }

 private:
  std::unique_ptr<PGconn, void (*)(PGconn*)> connection_;
};

std::string ask(const PostgresServer& server, const std::string& sql) {
  return Client(server.connection()).ask(sql);
}

// Whether there is such a process, and not only what nobody has waited for yet.
bool runs(int process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("State:")) return line.find('Z') == std::string::npos;
  return false;
}

std::string directory_of(const PostgresServer& server) {
  return std::filesystem::path(server.address().socket_path).parent_path().string();
}

TEST(PostgresServer, answers_directly_and_through_a_proxy_those_who_have_its_password) {
  PostgresServer server(quick());
  loopback::TcpProxy proxy(server.address());
  EXPECT_TRUE(server.is_running());
  EXPECT_EQ(ask(server, "SELECT current_database()"), "tenure");
  EXPECT_EQ(Client(server.connection(proxy.port())).ask("SELECT 1"), "1");
  std::string stranger = server.connection(proxy.port());
  stranger.replace(stranger.find(server.password()), server.password().size(), "guessed");
  EXPECT_FALSE(Client(stranger).is_connected());
  EXPECT_NE(ask(server, "SHOW data_directory").find(directory_of(server)), std::string::npos);
}

TEST(PostgresServer, keeps_what_was_committed_through_stops_and_crashes) {
  PostgresServer server(quick());
  EXPECT_EQ(ask(server, "CREATE TABLE t (n int)"), "");
  for (int round = 1; round <= 4; ++round) {
    Client client(server.connection());
    EXPECT_EQ(client.ask("INSERT INTO t VALUES (1)"), "");
    EXPECT_EQ(client.ask("BEGIN; INSERT INTO t VALUES (1)"), "");
    if (round % 2 == 0)
      server.stop();
    else
      server.crash();
    EXPECT_FALSE(server.is_running());
    EXPECT_FALSE(runs(client.backend()));
    EXPECT_EQ(client.ask("SELECT 1").front(), '!');
    EXPECT_FALSE(Client(server.connection()).is_connected());
    server.start();
    EXPECT_EQ(ask(server, "SELECT count(*) FROM t"), std::to_string(round));
  }
  server.start();  // of one that runs: nothing
  EXPECT_EQ(ask(server, "SELECT 1"), "1");
}

TEST(PostgresServer, stands_still_while_it_is_paused) {
  PostgresServer server(quick());
  Client client(server.connection());
  server.pause();
  EXPECT_TRUE(server.is_running());
  alarm(120);
  const auto stopped = [&] {
    const pid_t child = fork();
    if (child == 0) _exit(ask(server, "SELECT 1") == "1" ? 0 : 1);
    usleep(500'000);
    const bool waits = waitpid(child, nullptr, WNOHANG) == 0;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return waits;
  }();
  EXPECT_TRUE(stopped);
  server.resume();
  EXPECT_EQ(client.ask("SELECT 2"), "2");
  alarm(0);
}

TEST(PostgresServer, has_a_replica_that_takes_over_while_the_old_one_is_fenced_off) {
  PostgresServer primary(quick());
  loopback::TcpProxy proxy(primary.address());
  const std::string clients = primary.connection(proxy.port());
  EXPECT_EQ(Client(clients).ask("CREATE TABLE t (n int); INSERT INTO t VALUES (1)"), "");
  PostgresServer replica = primary.make_replica();
  EXPECT_EQ(ask(replica, "SELECT n FROM t"), "1");
  EXPECT_EQ(ask(replica, "INSERT INTO t VALUES (2)"), "!25006");
  EXPECT_EQ(Client(clients).ask("INSERT INTO t VALUES (2)"), "");
  for (int i = 0; i < 6'000 && !replica.has_caught_up_with(primary); ++i) usleep(10'000);
  EXPECT_EQ(ask(replica, "SELECT max(n) FROM t"), "2");
  // What it has not received is lost.
  replica.stop();
  EXPECT_EQ(Client(clients).ask("INSERT INTO t VALUES (3)"), "");
  primary.crash();
  replica.start();
  replica.promote();
  proxy.set_server(replica.address());
  proxy.cut_all();
  Client after(clients);
  EXPECT_EQ(after.ask("SELECT max(n) FROM t"), "2");
  EXPECT_EQ(after.ask("INSERT INTO t VALUES (4)"), "");
  EXPECT_FALSE(primary.is_running());
}

TEST(PostgresServer, a_session_holds_a_lock_until_it_is_gone) {
  PostgresServer server(quick());
  EXPECT_EQ(ask(server, "CREATE TABLE t (n int); INSERT INTO t VALUES (1)"), "");
  const std::string wants = "SET lock_timeout = '200ms'; UPDATE t SET n = 2";
  {
    const HeldLock lock(server.connection(), "SELECT 1 FROM t FOR UPDATE");
    EXPECT_EQ(ask(server, wants), "!55P03");
  }
  EXPECT_EQ(ask(server, "SET lock_timeout = '60s'; UPDATE t SET n = 2"), "");
  try {
    const HeldLock none(server.connection(), "SELECT 1 FROM nowhere FOR UPDATE");
    ADD_FAILURE() << "there is no such table";
  } catch (const HostFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("\"nowhere\" does not exist"), std::string::npos)
        << failure.what();
  }
}

TEST(PostgresServer, leaves_nothing_behind_when_its_owner_is_killed) {
  for (const bool paused : {false, true}) {
    int line[2] = {};
    ASSERT_EQ(pipe(line), 0);
    const pid_t owner = fork();
    if (owner == 0) {
      PostgresServer server(quick());
      const std::string directory = directory_of(server) + "\n";
      if (paused) server.pause();
      [[maybe_unused]] const ssize_t told = write(line[1], directory.data(), directory.size());
      pause();
    }
    close(line[1]);
    std::string directory;
    for (char letter = 0; read(line[0], &letter, 1) == 1 && letter != '\n';) directory += letter;
    close(line[0]);
    ASSERT_TRUE(std::filesystem::exists(directory));
    kill(owner, SIGKILL);
    waitpid(owner, nullptr, 0);
    for (int i = 0; i < 6'000 && std::filesystem::exists(directory); ++i) usleep(10'000);
    EXPECT_FALSE(std::filesystem::exists(directory));
  }
}

TEST(PostgresServer, says_what_is_missing) {
  try {
    PostgresServer server({.programs = "/nowhere", .asker = "--store postgres"});
    ADD_FAILURE() << "it is not there";
  } catch (const HostFailure& failure) {
    EXPECT_STREQ(
        failure.what(),
        "--store postgres needs Postgres 15, and there is no /nowhere/initdb; on Debian 12: apt install "
        "postgresql-15");
  }
  try {
    PostgresServer server({.settings = "no_such_setting = 1"});
    ADD_FAILURE() << "it has started";
  } catch (const HostFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("unrecognized configuration parameter \"no_such_setting\""),
              std::string::npos)
        << failure.what();
  }
}

}  // namespace
}  // namespace tenure::local_postgres
