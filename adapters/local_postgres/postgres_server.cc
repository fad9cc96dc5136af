#include "adapters/local_postgres/postgres_server.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/random.h>

#include <array>
#include <chrono>
#include <sstream>
#include <thread>
#include <utility>

#include "adapters/local_postgres/server_keeper.h"
#include "core/base/host_failure.h"

namespace tenure::local_postgres {

struct PostgresServer::Parts {
  LocalPostgres options;
  std::string password;
  ServerKeeper keeper;
};

namespace {

constexpr std::chrono::seconds kPatience{60};  // for a server to start, or to catch up
constexpr std::chrono::milliseconds kNextLook{10};
constexpr int kPort = 5432;  // names the socket in the directory

using Session = std::unique_ptr<PGconn, void (*)(PGconn*)>;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

template <class Done>
bool wait_until(const Done& done) {
  const auto last = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > last) return false;
    std::this_thread::sleep_for(kNextLook);
  }
  return true;
}

Session open_session(const std::string& connection) {
  Session session(PQconnectdb(connection.c_str()), PQfinish);
  PQsetNoticeReceiver(
      session.get(), [](void*, const PGresult*) {}, nullptr);
  return session;
}

// The first column of the first row, if any. Throws HostFailure.
std::string ask(PGconn* session, const std::string& sql) {
  const Result result(PQexec(session, sql.c_str()), PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw HostFailure(fmt::format("{}: {}", sql, PQerrorMessage(session)));
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

std::string drawn_password() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw HostFailure("cannot draw a password");
  std::string password;
  for (const unsigned char byte : bytes) password += fmt::format("{:02x}", byte);
  return password;
}

std::vector<std::string> settings(const std::string& directory, const std::string& more) {
  std::vector<std::string> lines = {"listen_addresses = ''",
                                    fmt::format("unix_socket_directories = '{}'", directory),
                                    fmt::format("port = {}", kPort),
                                    "max_connections = 200",
                                    "shared_buffers = 32MB",
                                    "shared_memory_type = mmap",
                                    "dynamic_shared_memory_type = mmap",
                                    "wal_level = replica",
                                    "max_wal_senders = 8",
                                    "wal_keep_size = 256MB",
                                    "jit = off",
                                    "timezone = 'UTC'",
                                    "log_timezone = 'UTC'",
                                    "lc_messages = 'C'",
                                    "log_min_messages = fatal"};
  std::istringstream text(more);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

[[noreturn]] void cannot(const std::string& what, const ServerKeeper& keeper) {
  throw HostFailure(fmt::format("{}: {}: {}", keeper.asker(), what, keeper.last_words()));
}

}  // namespace

PostgresServer::PostgresServer(const LocalPostgres& options)
    : parts_(new Parts{options, drawn_password(), ServerKeeper(options.programs, options.asker)}) {
  ServerKeeper& keeper = parts_->keeper;
  const bool made = keeper.write("password", {parts_->password}) &&
                    keeper.run(
                        "\"$programs/initdb\" -D data -U tenure -A scram-sha-256 --pwfile=password -E UTF8 "
                        "--locale=C --no-sync "
                        "--no-instructions --wal-segsize=1 && rm password") &&
                    keeper.write("data/postgresql.conf", settings(keeper.directory(), options.settings));
  if (!made) cannot("initdb fails", keeper);
  start();
  ask(open_session(connection_to("postgres")).get(), "CREATE DATABASE tenure");
}

PostgresServer::PostgresServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
PostgresServer::~PostgresServer() = default;
PostgresServer::PostgresServer(PostgresServer&&) noexcept = default;

PostgresServer PostgresServer::make_replica() {
  const LocalPostgres& options = parts_->options;
  PostgresServer replica(std::unique_ptr<Parts>(
      new Parts{options, parts_->password, ServerKeeper(options.programs, options.asker)}));
  ServerKeeper& keeper = replica.parts_->keeper;
  const bool made =
      keeper.run(fmt::format(
          "PGPASSWORD={} \"$programs/pg_basebackup\" -R -X stream -c fast --no-sync -D data -h {} "
          "-p {} -U tenure",
          parts_->password, parts_->keeper.directory(), kPort)) &&
      keeper.write("data/postgresql.conf", settings(keeper.directory(), options.settings));
  if (!made) cannot("a copy of the server cannot be made", keeper);
  replica.start();
  if (!wait_until([&] { return replica.has_caught_up_with(*this); }))
    cannot("the replica lags behind", keeper);
  return replica;
}

void PostgresServer::start() {
  ServerKeeper& keeper = parts_->keeper;
  if (!keeper.is_running()) keeper.start();
  const bool answers = wait_until([&] {
    return PQstatus(open_session(connection_to("postgres")).get()) == CONNECTION_OK || !keeper.is_running();
  });
  if (!answers || !keeper.is_running()) cannot("the server does not start", keeper);
}

void PostgresServer::stop() { parts_->keeper.stop("INT"); }
void PostgresServer::crash() { parts_->keeper.kill_all(); }
void PostgresServer::pause() { parts_->keeper.pause(); }
void PostgresServer::resume() { parts_->keeper.resume(); }
bool PostgresServer::is_running() const { return parts_->keeper.is_running(); }

void PostgresServer::promote() {
  if (!parts_->keeper.run("\"$programs/pg_ctl\" promote -D data -w -s"))
    cannot("the replica cannot be promoted", parts_->keeper);
}

bool PostgresServer::has_caught_up_with(const PostgresServer& primary) {
  const Session leading = open_session(primary.connection());
  const Session following = open_session(connection());
  const std::string position = ask(leading.get(), "SELECT pg_current_wal_flush_lsn()");
  return ask(following.get(), fmt::format("SELECT pg_last_wal_replay_lsn() >= '{}'", position)) == "t";
}

loopback::ServerAddress PostgresServer::address() const {
  return {.socket_path = fmt::format("{}/.s.PGSQL.{}", parts_->keeper.directory(), kPort)};
}

std::string PostgresServer::connection() const { return connection_to("tenure"); }

std::string PostgresServer::connection_to(const std::string& database) const {
  return fmt::format("host={} port={} dbname={} user=tenure password={}", parts_->keeper.directory(), kPort,
                     database, parts_->password);
}

std::string PostgresServer::connection(std::uint16_t proxy_port) const {
  return fmt::format(
      "host=127.0.0.1 port={} dbname=tenure user=tenure password={} sslmode=disable gssencmode=disable",
      proxy_port, parts_->password);
}

const std::string& PostgresServer::password() const { return parts_->password; }
std::string PostgresServer::last_words() const { return parts_->keeper.last_words(); }

HeldLock::HeldLock(const std::string& connection, const std::string& sql)
    : session_(open_session(connection)) {
  if (PQstatus(session_.get()) != CONNECTION_OK)
    throw HostFailure(fmt::format("no session that holds a lock: {}", PQerrorMessage(session_.get())));
  ask(session_.get(), "BEGIN");
  ask(session_.get(), sql);
}

}  // namespace tenure::local_postgres
