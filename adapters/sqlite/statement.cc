#include "adapters/sqlite/statement.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace tenure::sqlite {
namespace {

constexpr int kStepsBetweenLooks = 10'000;  // of SQLite's machine: well under a millisecond
// The log is copied into the file from the first on, which makes room in it, unless somebody reads what is there. From
// the second on readers are waited for.
constexpr int kCheckpointPages = 4'000;
constexpr int kMostPages = 4 * kCheckpointPages;
constexpr Duration kForReaders = Duration::millis(20);
constexpr Duration kBetweenBounds = Duration::seconds(1);

std::int64_t steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

SqliteFailure failure_of(sqlite3* db) {
  if (db == nullptr) return {SQLITE_NOMEM, "out of memory", 0};
  return {sqlite3_errcode(db) & 0xff, sqlite3_errmsg(db), sqlite3_system_errno(db)};
}

// How long the first user of a file is given to make its log, once it has the file open.
constexpr Duration kForTheLog = Duration::millis(500);

bool is_empty(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) != 0 || (S_ISREG(found.st_mode) && found.st_size == 0);
}

// For this account alone, and so are its log and the log's index, which SQLite makes like it. It is made apart and then
// given its name: to close a file that another thread has open would drop the locks on it.
void make_file(const std::string& path) {
  std::string apart = path + ".XXXXXX";
  const int file = mkstemp(apart.data());
  if (file < 0) return;  // SQLite says why
  close(file);
  if (link(apart.c_str(), path.c_str()) != 0) errno = 0;  // somebody was first
  unlink(apart.c_str());
}

}  // namespace

SqliteConnection::SqliteConnection(const std::string& path, Make make) {
  const bool on_disk = path != ":memory:";
  if (on_disk && is_empty(path) && !is_empty(path + "-wal"))
    throw SqliteFailure{kLogAlone, "no database beside " + path + "-wal"};
  struct stat found {};
  if (on_disk && make == Make::no && is_empty(path) && (stat(path.c_str(), &found) == 0 || errno == ENOENT))
    throw SqliteFailure{kNotThere, "no such file, or an empty one"};
  // A name, never an option: SQLite would read `file:` as the begin of a URI.
  const std::string name = path.starts_with("file:") ? "./" + path : path;
  if (on_disk && make == Make::yes && stat(path.c_str(), &found) != 0 && errno == ENOENT) make_file(path);
  const int flags =
      SQLITE_OPEN_READWRITE | (make == Make::yes ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(name.c_str(), &db_, flags, nullptr) != SQLITE_OK) {
    const SqliteFailure failure = failure_of(db_);
    sqlite3_close(db_);
    throw failure;
  }
  if (on_disk) file_ = sqlite3_db_filename(db_, "main");
  try {
    refuse_a_removed_log();
  } catch (...) {
    sqlite3_close(db_);
    throw;
  }
  sqlite3_busy_handler(db_, on_busy, this);
  sqlite3_progress_handler(db_, kStepsBetweenLooks, on_progress, this);
  sqlite3_wal_hook(db_, on_commit, this);
}

SqliteConnection::~SqliteConnection() { sqlite3_close_v2(db_); }

void SqliteConnection::give_up_after(Duration timeout) {
  deadline_ = (Duration::nanos(steady_now()) + timeout).ns();
}

void SqliteConnection::take_your_time() { deadline_ = INT64_MAX; }

// Waits a little longer each time, so that a lock that is soon free costs little, and one that is not, no processor.
bool SqliteConnection::wait_for_others(int times_before) const {
  const std::int64_t left = deadline_ - steady_now();
  if (left <= 0) return false;
  const std::int64_t pause = std::int64_t{50'000} << std::min(times_before, 6);
  std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(left, pause)));
  return true;
}

int SqliteConnection::on_busy(void* self, int count) {
  return static_cast<const SqliteConnection*>(self)->wait_for_others(count) ? 1 : 0;
}

int SqliteConnection::on_progress(void* self) {
  const std::int64_t deadline = static_cast<const SqliteConnection*>(self)->deadline_;
  return deadline != INT64_MAX && steady_now() > deadline ? 1 : 0;
}

// As SQLite does it by itself where nobody looks.
int SqliteConnection::on_commit(void* self, sqlite3* db, const char* name, int pages) {
  auto* connection = static_cast<SqliteConnection*>(self);
  connection->log_pages_ = pages;
  if (pages >= kCheckpointPages)
    sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  return SQLITE_OK;
}

void SqliteConnection::bound_log() noexcept {
  const std::int64_t now = steady_now();
  if (log_pages_ < kMostPages || now < next_bound_) return;
  give_up_after(kForReaders);
  if (sqlite3_wal_checkpoint_v2(db_, "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr) == SQLITE_OK)
    log_pages_ = 0;
  next_bound_ = now + kBetweenBounds.ns();
}

SqliteConnection::FileId SqliteConnection::file_at(const std::string& name) {
  struct stat found {};
  if (stat(name.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino};
}

std::array<SqliteConnection::FileId, 2> SqliteConnection::log_now() const {
  return {file_at(file_ + "-wal"), file_at(file_ + "-shm")};
}

// Every user of a file in WAL keeps a lock on it that is shared, and has the log and its index open. So if these are
// not there, the lock can be had alone; else they were removed under somebody.
void SqliteConnection::refuse_a_removed_log() const {
  const auto is_whole = [this] {
    const std::array<FileId, 2> log = log_now();
    return log[0] != FileId{} && log[1] != FileId{};
  };
  const std::int64_t deadline = steady_now() + kForTheLog.ns();
  while (!is_empty(file_) && !is_whole()) {
    sqlite3* alone = nullptr;
    int result = sqlite3_open_v2(file_.c_str(), &alone, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    if (result == SQLITE_OK)
      result = sqlite3_exec(alone, "PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_master",
                            nullptr, nullptr, nullptr);
    sqlite3_close(alone);
    if (result != SQLITE_BUSY) return;  // nobody uses it; or whatever is in the way is said by who reads
    if (steady_now() > deadline) throw SqliteFailure{kLogRemoved, "others have the file open", 0};
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void SqliteConnection::remember_log() {
  if (!file_.empty()) log_ = log_now();
}

void SqliteConnection::check_place() const {
  int moved = 0;
  sqlite3_file_control(db_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved != 0)
    throw SqliteFailure{SQLITE_CANTOPEN, "the file was moved, deleted or replaced while it was in use", 0};
  if (!file_.empty() && (log_now() != log_ || log_[0] == FileId{} || log_[1] == FileId{}))
    throw SqliteFailure{kLogRemoved, "there is another log, or none", 0};
  if (!file_.empty() && is_empty(file_)) throw SqliteFailure{kEmptied, "it has no bytes", 0};
}

void SqliteConnection::execute(const std::string& sql) {
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::string SqliteConnection::ask(const std::string& sql) {
  Statement statement(*this, sql.c_str());
  Rows rows = statement.with();
  return rows.next() ? std::string(rows.text()) : "";
}

void SqliteConnection::fail() const { throw failure_of(db_); }

bool SqliteConnection::roll_back() noexcept {
  if (sqlite3_get_autocommit(db_) != 0) return true;
  take_your_time();
  sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
  return sqlite3_get_autocommit(db_) != 0;
}

Rows::~Rows() { sqlite3_reset(statement_); }

bool Rows::next() {
  column_ = 0;
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW: return true;
    case SQLITE_DONE: return false;
    default: connection_.fail();
  }
}

int Rows::columns() const { return sqlite3_column_count(statement_); }

bool Rows::null() {
  if (sqlite3_column_type(statement_, column_) != SQLITE_NULL) return false;
  ++column_;
  return true;
}

std::int64_t Rows::integer() { return sqlite3_column_int64(statement_, column_++); }

std::string_view Rows::text() {
  const int column = column_++;
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Statement::Statement(const SqliteConnection& connection, const char* sql) : connection_(connection) {
  if (sqlite3_prepare_v3(connection.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) !=
      SQLITE_OK)
    connection.fail();
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::bind(int place, std::int64_t value) {
  if (sqlite3_bind_int64(statement_, place, value) != SQLITE_OK) connection_.fail();
}

void Statement::bind(int place, std::nullptr_t) {
  if (sqlite3_bind_null(statement_, place) != SQLITE_OK) connection_.fail();
}

void Statement::bind(int place, std::string_view value) {
  if (sqlite3_bind_text64(statement_, place, value.empty() ? "" : value.data(), value.size(),
                          SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK)
    connection_.fail();
}

std::int64_t Statement::changes() const { return sqlite3_changes64(connection_.handle()); }

}  // namespace tenure::sqlite
