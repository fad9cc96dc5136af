#include "adapters/postgres/connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <regex>
#include <utility>

namespace tenure::postgres {
namespace {

constexpr std::chrono::hours kLongest{24};
// How soon a wait notices that it is over.
constexpr std::chrono::milliseconds kAttention{100};

// A dead peer is given up by the kernel, too, and not after the two hours of its defaults.
constexpr std::array<const char*, 12> kKeywords = {"fallback_application_name",
                                                   "client_encoding",
                                                   "keepalives",
                                                   "keepalives_idle",
                                                   "keepalives_interval",
                                                   "keepalives_count",
                                                   "tcp_user_timeout",
                                                   "dbname",
                                                   "host",
                                                   "hostaddr",
                                                   "port",
                                                   nullptr};

// libpq keeps the code of a refused connection to itself, but for the verbose form of its message.
std::string code_in(const std::string& message) {
  static const std::regex form(R"(:  ([0-9A-Z]{5}): )");
  std::smatch found;
  return std::regex_search(message, found, form) ? found[1].str() : std::string();
}

std::string field(const PGresult* result, int which) {
  const char* value = PQresultErrorField(result, which);
  return value == nullptr ? std::string() : value;
}

// Of what is left until then, that of the first of so many.
Deadline share(Deadline deadline, std::size_t among) {
  if (among == 1) return deadline;
  const auto now = std::chrono::steady_clock::now();
  return now + std::max(deadline - now, Deadline::duration::zero()) / static_cast<std::int64_t>(among);
}

// A server that says farewell may have committed before: only a plain error means that all was undone.
bool is_settled(const PGresult* result) { return field(result, PG_DIAG_SEVERITY_NONLOCALIZED) == "ERROR"; }

// The one warning that matters: a cancelled wait for a synchronous standby, with which the server acknowledges the
// commit all the same. It has no code of its own, and its words are translated.
void on_notice(void* alone, const PGresult* notice) {
  if (field(notice, PG_DIAG_SOURCE_FUNCTION) == "SyncRepWaitForLSN") *static_cast<bool*>(alone) = true;
}

}  // namespace

Deadline deadline_after(Duration timeout) {
  const auto length = std::chrono::nanoseconds(std::max<std::int64_t>(0, timeout.ns()));
  return std::chrono::steady_clock::now() + std::min<std::chrono::nanoseconds>(length, kLongest);
}

std::chrono::milliseconds left_until(Deadline deadline) {
  const auto now = std::chrono::steady_clock::now();
  if (deadline <= now) return std::chrono::milliseconds(0);  // before the subtraction: min() would wrap
  return std::chrono::ceil<std::chrono::milliseconds>(deadline - now);
}

PostgresConnection::PostgresConnection(const std::string& conninfo, bool prepared, Deadline deadline,
                                       std::stop_token over, const LookUp& look_up)
    : redactor_(conninfo), place_("Postgres"), prepared_(prepared), over_(std::move(over)) {
  if (const std::string problem = problem_with(conninfo); !problem.empty())
    throw PostgresFailure{PostgresStage::before, kWrongWords, problem};
  std::string tried;
  const std::vector<ServerHost> hosts = hosts_of(conninfo);
  for (std::size_t names = hosts.size(); names > 0; --names) {
    const std::vector<ServerHost> known = by_address(hosts[hosts.size() - names], look_up);
    const Deadline of_name = share(deadline, names);
    for (std::size_t left = known.size(); left > 0; --left) {
      try {
        connect(conninfo, known[known.size() - left], share(of_name, left));
        return;
      } catch (const PostgresFailure& failure) {
        const bool last = names == 1 && left == 1;
        const bool late = over_.stop_requested() || std::chrono::steady_clock::now() >= deadline;
        // As in libpq: who is not let in does not ask elsewhere.
        if (last || late || failure.sqlstate.starts_with("28"))
          throw PostgresFailure{failure.stage, failure.sqlstate, tried + failure.message};
        tried += failure.message + "; ";
      }
    }
  }
}

void PostgresConnection::connect(const std::string& conninfo, const ServerHost& host, Deadline deadline) {
  const std::array<const char*, 12> values = {"tenure",
                                              "UTF8",
                                              "1",
                                              "10",
                                              "5",
                                              "3",
                                              "15000",
                                              conninfo.c_str(),
                                              host.name.c_str(),
                                              host.address.c_str(),
                                              host.port.c_str(),
                                              nullptr};
  connection_.reset(PQconnectStartParams(kKeywords.data(), values.data(), 1), PQfinish);
  if (connection_ == nullptr)
    throw PostgresFailure{PostgresStage::before, "53200", "no memory for a connection"};
  PQsetNoticeReceiver(connection_.get(), on_notice, wait_cancelled_.get());
  PQsetErrorVerbosity(connection_.get(), PQERRORS_VERBOSE);
  shake_hands(deadline);
  PQsetErrorVerbosity(connection_.get(), PQERRORS_DEFAULT);
  PQsetnonblocking(connection_.get(), 1);
}

void PostgresConnection::shake_hands(Deadline deadline) {
  PGconn* connection = connection_.get();
  const auto part = [](const char* value) { return value == nullptr ? "" : value; };
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (PQstatus(connection) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
         status != PGRES_POLLING_FAILED) {
    if (!poll(status == PGRES_POLLING_WRITING, deadline))
      throw PostgresFailure{PostgresStage::before, code_in(error()),
                            (over_.stop_requested() ? "stopped before anything answered "
                                                    : "nothing answered before the deadline ") +
                                error()};
    status = PQconnectPoll(connection);
    redactor_.learn(part(PQhost(connection)), part(PQdb(connection)));
    place_ = fmt::format("{}:{}/{}", part(PQhost(connection)), part(PQport(connection)),
                         redactor_.name(part(PQdb(connection))));
  }
  if (PQstatus(connection) != CONNECTION_OK)
    throw PostgresFailure{PostgresStage::before, code_in(error()), error()};
}

ResultRow PostgresConnection::ask(const char* sql, const Params& params, Deadline deadline) {
  if (prepared_) prepare(sql, deadline);
  *wait_cancelled_ = false;
  const auto pointers = params.pointers();
  const int count = static_cast<int>(pointers.size());
  const int sent = prepared_ ? PQsendQueryPrepared(connection_.get(), statements_.at(sql).c_str(), count,
                                                   pointers.data(), nullptr, nullptr, 0)
                             : PQsendQueryParams(connection_.get(), sql, count, nullptr, pointers.data(),
                                                 nullptr, nullptr, 0);
  // A part of it may have left by then.
  if (sent == 0) throw PostgresFailure{PostgresStage::lost, "", error()};
  Result result = finish(PostgresStage::lost, deadline);
  if (*wait_cancelled_)
    throw PostgresFailure{PostgresStage::lost, "",
                          "the wait for the synchronous standby was cancelled: a failover may undo it"};
  return ResultRow(std::move(result));
}

void PostgresConnection::prepare(const char* sql, Deadline deadline) {
  if (statements_.contains(sql)) return;
  const std::string name = fmt::format("tenure_{}", statements_.size());
  if (PQsendPrepare(connection_.get(), name.c_str(), sql, 0, nullptr) == 0)
    throw PostgresFailure{PostgresStage::before, "", error()};
  finish(PostgresStage::before, deadline);
  statements_.emplace(sql, name);
}

void PostgresConnection::run(const std::string& sql, Deadline deadline) {
  if (PQsendQuery(connection_.get(), sql.c_str()) == 0)
    throw PostgresFailure{PostgresStage::before, "", error()};
  finish(PostgresStage::before, deadline);
}

PostgresConnection::Result PostgresConnection::finish(PostgresStage stage, Deadline deadline) {
  PGconn* connection = connection_.get();
  const auto wait_for = [&](bool writable) {
    if (!poll(writable, deadline))
      throw PostgresFailure{stage, "", "no answer before the deadline " + error()};
    if (PQconsumeInput(connection) == 0) throw PostgresFailure{stage, "", error()};
  };
  for (int unsent = PQflush(connection); unsent != 0; unsent = PQflush(connection)) {
    if (unsent < 0) throw PostgresFailure{stage, "", error()};
    wait_for(true);
  }
  Result last;
  Result failed;
  for (;;) {
    while (PQisBusy(connection) == 1) wait_for(false);
    Result result(PQgetResult(connection), PQclear);
    if (result == nullptr) break;
    const ExecStatusType status = PQresultStatus(result.get());
    const bool good = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    if (good)
      last = std::move(result);
    else if (failed == nullptr)
      failed = std::move(result);
  }
  if (failed != nullptr) {
    const bool settled = is_settled(failed.get()) && PQstatus(connection) == CONNECTION_OK;
    throw PostgresFailure{settled && stage == PostgresStage::lost ? PostgresStage::answered : stage,
                          field(failed.get(), PG_DIAG_SQLSTATE), PQresultErrorMessage(failed.get())};
  }
  if (PQstatus(connection) != CONNECTION_OK) throw PostgresFailure{stage, "", error()};
  return last;
}

bool PostgresConnection::usable() {
  const auto sound = [this] {
    return PQstatus(connection_.get()) == CONNECTION_OK && PQsocket(connection_.get()) >= 0;
  };
  while (sound() && poll(false, Deadline::min())) {
    if (PQconsumeInput(connection_.get()) == 0) return false;
    PQisBusy(connection_.get());  // reads what has come
  }
  return sound() && PQtransactionStatus(connection_.get()) == PQTRANS_IDLE;
}

bool PostgresConnection::wait(Deadline deadline) {
  if (!poll(false, deadline)) return false;
  if (PQconsumeInput(connection_.get()) == 0) throw PostgresFailure{PostgresStage::lost, "", error()};
  return true;
}

std::vector<std::string> PostgresConnection::take_notifications() {
  std::vector<std::string> heard;
  while (PGnotify* notify = PQnotifies(connection_.get())) {
    heard.emplace_back(notify->extra);
    PQfreemem(notify);
  }
  return heard;
}

bool PostgresConnection::poll(bool writable, Deadline deadline) {
  const int socket = PQsocket(connection_.get());
  if (socket < 0) return false;
  const short events = static_cast<short>(writable ? POLLIN | POLLOUT : POLLIN);
  pollfd wanted{.fd = socket, .events = events, .revents = 0};
  for (;;) {
    if (over_.stop_requested()) return false;
    const auto most = over_.stop_possible() ? kAttention : std::chrono::milliseconds(1'000'000);
    const int ready = ::poll(&wanted, 1, static_cast<int>(std::min(left_until(deadline), most).count()));
    if (ready > 0) return true;
    if (ready == 0 && left_until(deadline).count() == 0) return false;
    if (ready < 0 && errno != EINTR) return false;  // no memory: as if nothing were heard
  }
}

std::string PostgresConnection::error() const {
  const std::string message = PQerrorMessage(connection_.get());
  return redactor_.clean(
      message.substr(0, message.find("LOCATION:")));  // in Postgres' source: the verbose form has it
}

}  // namespace tenure::postgres
