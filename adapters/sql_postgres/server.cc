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

#include "adapters/sql_postgres/keeper.h"
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

bool is_gone(const TenureBackend& entry) { return kill(entry.process, 0) != 0 && errno == ESRCH; }

}  // namespace

Server::Server(const Installation& installation)
    : keeper_(std::make_unique<ServerKeeper>(installation)), ours_(nullptr, PQfinish) {
  page_ = keeper_->page();
  const bool there = wait_until([this] {
    ours_ = connect_as("tenure");
    return PQstatus(ours_.get()) == CONNECTION_OK || keeper_->failed();
  });
  if (!there || keeper_->failed())
    throw HostFailure("engine = \"postgres\": the server does not start: " + keeper_->last_words());
  order("CREATE ROLE design LOGIN");
}

Server::~Server() = default;

Connection Server::connect_as(const char* role) {
  // All that the environment could say otherwise (PGOPTIONS, PGCLIENTENCODING), but PGTZ: see connect().
  const std::array<const char*, 8> keywords = {
      "host", "port", "dbname", "user", "application_name", "client_encoding", "options", nullptr};
  const std::array<const char*, 8> values = {
      keeper_->directory().c_str(), "5432", "postgres", role, "design", "UTF8", "-c DateStyle=ISO", nullptr};
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
  std::atomic_ref(page_->connecting).store(0);
  order("DROP OWNED BY design; DROP SCHEMA IF EXISTS public CASCADE; ALTER ROLE design RESET ALL");
  order("CREATE SCHEMA public AUTHORIZATION design");
  if (++resets_ % kResetsAVacuum == 0) order("VACUUM");
}

// The page has the machine's own time where it is 0.
void Server::set_now(StoreTime now) {
  const std::int64_t micros = now.ns() / 1'000;
  std::atomic_ref(page_->now_us).store(micros == 0 ? 1 : micros);
}

Connection Server::connect() {
  std::atomic_ref(page_->connecting).fetch_add(1);
  Connection connection = connect_as("design");
  const char* const zone = PQparameterStatus(connection.get(), "TimeZone");
  if (zone != nullptr && std::string_view(zone) != "UTC")
    PQclear(PQexec(connection.get(), "SET TIME ZONE 'UTC'"));
  if (PQstatus(connection.get()) != CONNECTION_OK)
    throw HostFailure(fmt::format("engine = \"postgres\": {}", PQerrorMessage(connection.get())));
  return connection;
}

TenureBackend& Server::enter(int process) {
  TenureBackend* const end = page_->backends + kTenureBackends;
  TenureBackend* const free =
      std::find_if(page_->backends, end, [](const TenureBackend& entry) { return entry.process == 0; });
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
