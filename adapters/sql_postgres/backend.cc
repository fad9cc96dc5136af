#include "adapters/sql_postgres/backend.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "adapters/sql_postgres/values.h"
#include "core/base/host_failure.h"

namespace tenure::sql_postgres {
namespace {

constexpr timespec kLook{0, 200'000};
constexpr std::chrono::seconds kStatementPatience{60};  // of real time, for one statement

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

std::string field(const PGresult* result, int which) {
  const char* const text = PQresultErrorField(result, which);
  return text == nullptr ? "" : text;
}

statements::SqlFailed failure(const PGresult* result) {
  return {field(result, PG_DIAG_SQLSTATE), field(result, PG_DIAG_MESSAGE_PRIMARY)};
}

void end_copy(PGconn* connection, ExecStatusType way) {
  if (way == PGRES_COPY_IN) {
    PQputCopyEnd(connection, "no COPY from a client here");
    return;
  }
  char* line = nullptr;
  while (PQgetCopyData(connection, &line, 0) > 0) PQfreemem(line);
}

}  // namespace

Backend::Backend(Server& server)
    : server_(server), connection_(server.connect()), process_(PQbackendPID(connection_.get())) {
  PQsetNoticeReceiver(connection_.get(), heard, this);
  entry_ = &server_.enter(process_);
}

Backend::~Backend() {
  try {
    if (!lost() && under_way_) {
      sleeps_ = std::atomic_ref(entry_->sleeps).load();
      kill(process_, SIGINT);
      run();
    }
    if (!lost() && PQtransactionStatus(connection_.get()) != PQTRANS_IDLE) simply("ROLLBACK");
    if (!lost()) simply("SELECT pg_advisory_unlock_all()");
  } catch (const HostFailure&) {  // the server is gone, and with it what it held
  }
  std::atomic_ref(entry_->may_run).store(1);
  syscall(SYS_futex, &entry_->may_run, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  connection_.reset();
  server_.leave(*entry_);
}

// A session that is ended while no statement is under way leaves its reason as a notice.
void Backend::heard(void* self, const PGresult* notice) {
  const std::string severity = field(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity == "FATAL") static_cast<Backend*>(self)->last_word_ = failure(notice);
}

bool Backend::lost() const { return PQstatus(connection_.get()) == CONNECTION_BAD; }

bool Backend::holds_something() const {
  return !lost() &&
         (PQtransactionStatus(connection_.get()) != PQTRANS_IDLE || server_.has_advisory_lock(process_));
}

bool Backend::may_go_on() const {
  return std::atomic_ref(entry_->wakes_us).load() == 0 && !server_.waits_for_lock(process_);
}

std::int64_t Backend::wakes_us() const {
  const std::int64_t alarm = std::atomic_ref(entry_->alarm_us).load();
  const std::int64_t sleep = under_way_ ? std::atomic_ref(entry_->wakes_us).load() : 0;
  if (alarm == 0 || sleep == 0) return alarm + sleep;
  return std::min(alarm, sleep);
}

std::optional<Outcome> Backend::execute(const statements::SqlStatement& statement) {
  if (statement.text.find('\0') != std::string::npos)
    return statements::SqlFailed{"", "a statement with a zero byte"};
  std::vector<std::optional<std::string>> texts;
  std::vector<const char*> pointers;
  for (const statements::Value& value : statement.parameters) texts.push_back(parameter_text(value));
  for (const std::optional<std::string>& text : texts) pointers.push_back(text ? text->c_str() : nullptr);
  constexpr int kBinary = 1;
  sleeps_ = std::atomic_ref(entry_->sleeps).load();
  if (lost() ||
      PQsendQueryParams(connection_.get(), statement.text.c_str(), static_cast<int>(pointers.size()), nullptr,
                        pointers.data(), nullptr, nullptr, kBinary) != 1)
    return end_of_session();
  under_way_ = true;
  return run();
}

std::optional<Outcome> Backend::go_on() {
  sleeps_ = std::atomic_ref(entry_->sleeps).load();
  return run();
}

std::optional<Outcome> Backend::time_out() {
  sleeps_ = std::atomic_ref(entry_->sleeps).load();
  std::atomic_ref(entry_->alarm_us).store(0);
  kill(process_, SIGALRM);
  return run();
}

std::optional<Outcome> Backend::run() {
  std::atomic_ref(entry_->may_run).store(1);
  syscall(SYS_futex, &entry_->may_run, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  const auto last = std::chrono::steady_clock::now() + kStatementPatience;
  pollfd socket{PQsocket(connection_.get()), POLLIN, 0};
  while (true) {
    ppoll(&socket, 1, &kLook, nullptr);
    // In this order: what it has written before it went to sleep is there.
    const bool sleeps = std::atomic_ref(entry_->sleeps).load() != sleeps_;
    if (answered()) break;
    const bool waits = sleeps && (!under_way_ || std::atomic_ref(entry_->wakes_us).load() != 0 ||
                                  server_.waits_for_lock(process_));
    if (waits) break;
    if (std::chrono::steady_clock::now() > last)
      throw HostFailure(fmt::format("engine = \"postgres\": a statement has been busy for {} s",
                                    kStatementPatience.count()));
  }
  std::optional<Outcome> outcome;
  if (under_way_ && (lost() || PQisBusy(connection_.get()) == 0)) {
    outcome = take();
    wait_until_it_sleeps();
  }
  std::atomic_ref(entry_->may_run).store(0);
  return outcome;
}

// I1: after its answer it still has things to do, and a timer that it noted late would go off at another time.
void Backend::wait_until_it_sleeps() const {
  const auto last = std::chrono::steady_clock::now() + kStatementPatience;
  while (!lost() && std::atomic_ref(entry_->asleep).load() == 0) {
    if (std::chrono::steady_clock::now() > last)
      throw HostFailure("engine = \"postgres\": a session does not come to rest");
    std::this_thread::yield();
  }
}

// Whether there is nothing to wait for: the statement under way has its answer, or the session is over.
bool Backend::answered() {
  const bool reads = PQconsumeInput(connection_.get()) == 1;
  if (!under_way_) PQnotifies(connection_.get());  // has libpq look at what came
  return !reads || lost() || (under_way_ && PQisBusy(connection_.get()) == 0);
}

Outcome Backend::take() {
  under_way_ = false;
  std::optional<Outcome> outcome;
  while (true) {
    const Result result(PQgetResult(connection_.get()), PQclear);
    if (result == nullptr) break;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT) {
      end_copy(connection_.get(), status);
      outcome = statements::SqlFailed{"", "COPY to or from a client is no statement of a design"};
    } else if (outcome) {
      continue;
    } else if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) {
      std::variant<statements::SqlRows, std::string> rows = rows_of(result.get());
      if (auto* why = std::get_if<std::string>(&rows))
        outcome = statements::SqlFailed{"", std::move(*why)};
      else
        outcome = std::get<statements::SqlRows>(std::move(rows));
    } else {
      outcome = failure(result.get());
    }
  }
  return outcome ? *outcome : end_of_session();
}

std::optional<std::string> Backend::execute_all(const std::string& sql) {
  std::atomic_ref(entry_->may_run).store(1);
  const Result result(PQexec(connection_.get(), sql.c_str()), PQclear);
  std::atomic_ref(entry_->may_run).store(0);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return std::nullopt;
  return PQresultErrorMessage(result.get());
}

statements::SqlFailed Backend::end_of_session() const {
  if (last_word_.sqlstate.empty())
    throw HostFailure(
        fmt::format("engine = \"postgres\": a session is lost: {}", PQerrorMessage(connection_.get())));
  return last_word_;
}

void Backend::simply(const char* sql) {
  sleeps_ = std::atomic_ref(entry_->sleeps).load();
  if (PQsendQuery(connection_.get(), sql) != 1) return;
  under_way_ = true;
  run();
}

}  // namespace tenure::sql_postgres
