#include "adapters/sql_postgres/server.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/host_failure.h"

namespace tenure::sql_postgres {
namespace {

constexpr std::chrono::seconds kServerPatience{
    60};  // of real time, for a server to start, and for a backend to end
constexpr std::chrono::microseconds kNextLook{200};
constexpr int kResetsAVacuum = 200;  // what was dropped is dead in the catalogues until somebody sweeps

// Waits in real time until `done`; false: for too long.
template <class Done>
bool wait_until(const Done& done) {
  const auto last = std::chrono::steady_clock::now() + kServerPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > last) return false;
    std::this_thread::sleep_for(kNextLook);
  }
  return true;
}

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

// Of a server that nobody else uses and nobody keeps: nothing reaches the disk on purpose, and nothing happens by
// itself at a time that we do not choose.
std::vector<std::string> settings(const std::string& directory) {
  return {"listen_addresses = ''",
          "unix_socket_directories = '" + directory + "'",
          "port = 5432",
          "max_connections = 120",
          "shared_buffers = 16MB",
          "shared_memory_type = mmap",
          "dynamic_shared_memory_type = mmap",
          "huge_pages = off",
          "fsync = off",
          "wal_writer_delay = 10s",
          "bgwriter_delay = 10s",
          "max_logical_replication_workers = 0",
          "full_page_writes = off",
          "wal_level = minimal",
          "max_wal_senders = 0",
          "checkpoint_timeout = 1d",
          "max_wal_size = 1GB",
          "bgwriter_lru_maxpages = 0",
          "autovacuum = off",
          "track_counts = off",
          "jit = off",
          "max_parallel_workers = 0",
          "max_parallel_workers_per_gather = 0",
          "max_parallel_maintenance_workers = 0",
          "synchronize_seqscans = off",
          "update_process_title = off",
          "timezone = 'UTC'",
          "log_timezone = 'UTC'",
          "lc_messages = 'C'",
          "log_min_messages = fatal",
          "restart_after_crash = off"};
}

bool is_gone(const TenureBackend& entry) { return kill(entry.process, 0) != 0 && errno == ESRCH; }

}  // namespace

Server::Server(const Installation& installation)
    : keeper_(installation.programs, "engine = \"postgres\""),
      page_(keeper_, installation.clock),
      ours_(nullptr, PQfinish) {
  const auto start = [this] {
    keeper_.start(page_.environment());
    return wait_until([this] {
             ours_ = connect_as("tenure");
             return PQstatus(ours_.get()) == CONNECTION_OK || !keeper_.is_running();
           }) &&
           keeper_.is_running();
  };
  if (!keeper_.run(
          "\"$programs/initdb\" -D data -U tenure -A trust -E UTF8 --locale=C --no-sync --no-instructions "
          "--wal-segsize=1") ||
      !keeper_.write("data/postgresql.conf", settings(keeper_.directory())) || !start())
    throw HostFailure("engine = \"postgres\": the server does not start: " + keeper_.last_words());
  order("CREATE ROLE design LOGIN");
}

Server::~Server() = default;

Connection Server::connect_as(const char* role) {
  // All that the environment could say otherwise (PGOPTIONS, PGCLIENTENCODING), but PGTZ: see connect().
  const std::array<const char*, 8> keywords = {
      "host", "port", "dbname", "user", "application_name", "client_encoding", "options", nullptr};
  const std::array<const char*, 8> values = {
      keeper_.directory().c_str(), "5432", "postgres", role, "design", "UTF8", "-c DateStyle=ISO", nullptr};
  Connection connection(PQconnectdbParams(keywords.data(), values.data(), 0), PQfinish);
  PQsetNoticeReceiver(
      connection.get(), [](void*, const PGresult*) {}, nullptr);
  return connection;
}

void Server::order(const char* sql) {
  const Result result(PQexec(ours_.get(), sql), PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw HostFailure(fmt::format("engine = \"postgres\": {}: {}", sql, PQerrorMessage(ours_.get())));
}

void Server::reset() {
  set_now(StoreTime{} + Duration::micros(1));
  std::atomic_ref(page_.get()->connecting).store(0);
  order("DROP OWNED BY design; DROP SCHEMA IF EXISTS public CASCADE; ALTER ROLE design RESET ALL");
  order("CREATE SCHEMA public AUTHORIZATION design");
  if (++resets_ % kResetsAVacuum == 0) order("VACUUM");
}

// The page has the machine's own time where it is 0.
void Server::set_now(StoreTime now) {
  const std::int64_t micros = now.ns() / 1'000;
  std::atomic_ref(page_.get()->now_us).store(micros == 0 ? 1 : micros);
}

Connection Server::connect() {
  std::atomic_ref(page_.get()->connecting).fetch_add(1);
  Connection connection = connect_as("design");
  const char* const zone = PQparameterStatus(connection.get(), "TimeZone");
  if (zone != nullptr && std::string_view(zone) != "UTC")
    PQclear(PQexec(connection.get(), "SET TIME ZONE 'UTC'"));
  if (PQstatus(connection.get()) != CONNECTION_OK)
    throw HostFailure(fmt::format("engine = \"postgres\": {}", PQerrorMessage(connection.get())));
  return connection;
}

TenureBackend& Server::enter(int process) {
  TenureBackend* const end = page_.get()->backends + kTenureBackends;
  TenureBackend* const free =
      std::find_if(page_.get()->backends, end, [](const TenureBackend& entry) { return entry.process == 0; });
  if (free == end)
    throw HostFailure(
        fmt::format("engine = \"postgres\": more than {} connections at once", int{kTenureBackends}));
  *free = TenureBackend{};
  std::atomic_ref(free->process).store(process);
  return *free;
}

// A backend that ends reports statistics, and holds locks for that which others do not wait for: they would try again
// later, or not, by chance.
void Server::leave(TenureBackend& entry) {
  wait_until([&entry] { return is_gone(entry); });
  std::atomic_ref(entry.process).store(0);
}

bool Server::waits_for_lock(int process) {
  return is_so("SELECT pg_blocking_pids($1::int) <> '{}'", process);
}

bool Server::has_advisory_lock(int process) {
  return is_so("SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1::int AND locktype = 'advisory')", process);
}

bool Server::is_so(const char* question, int process) {
  const std::string number = std::to_string(process);
  const std::array<const char*, 1> values = {number.c_str()};
  const Result result(PQexecParams(ours_.get(), question, 1, nullptr, values.data(), nullptr, nullptr, 0),
                      PQclear);
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK)
    throw HostFailure(fmt::format("engine = \"postgres\": {}: {}", question, PQerrorMessage(ours_.get())));
  return *PQgetvalue(result.get(), 0, 0) == 't';
}

}  // namespace tenure::sql_postgres
