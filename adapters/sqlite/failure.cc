#include "adapters/sqlite/failure.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace tenure::sqlite {
namespace {

struct FailureRow {
  int code;
  StoreError trouble;
  RequestOutcome in_commit;  // before it, every one is rejected
  std::string_view words;
};

constexpr std::array kTable = {
    FailureRow{
        SQLITE_BUSY, StoreError::busy, RequestOutcome::rejected,
        "another process held the lock beyond the deadline; a transaction that was left open would do that"},
    FailureRow{SQLITE_LOCKED, StoreError::busy, RequestOutcome::rejected,
               "another statement of this process holds the lock"},
    FailureRow{SQLITE_INTERRUPT, StoreError::busy, RequestOutcome::rejected,
               "the deadline passed while it was at work"},
    FailureRow{SQLITE_FULL, StoreError::full, RequestOutcome::unknown,
               "the disk is full: once there is room, it goes on by itself"},
    FailureRow{SQLITE_IOERR, StoreError::failed, RequestOutcome::unknown, "the disk failed"},
    FailureRow{SQLITE_NOMEM, StoreError::failed, RequestOutcome::unknown, "there is no memory left"},
    FailureRow{SQLITE_READONLY, StoreError::read_only, RequestOutcome::rejected,
               "it may only be read: the account needs to write the file and its folder"},
    FailureRow{SQLITE_CORRUPT, StoreError::corrupt, RequestOutcome::unknown,
               "it is damaged: restore a backup, or save what can be read with `sqlite3 FILE .recover`"},
    FailureRow{SQLITE_NOTADB, StoreError::corrupt, RequestOutcome::unknown,
               "it is not an SQLite database: another kind of file, an encrypted one, or one whose head was "
               "overwritten"},
    FailureRow{SQLITE_PERM, StoreError::not_permitted, RequestOutcome::rejected,
               "the account may not use it"},
    FailureRow{SQLITE_AUTH, StoreError::not_permitted, RequestOutcome::rejected,
               "the account may not use it"},
    FailureRow{SQLITE_CANTOPEN, StoreError::unreachable, RequestOutcome::unknown, "it cannot be opened"},
    FailureRow{SQLITE_ERROR, StoreError::wrong_schema, RequestOutcome::rejected,
               "its tables are not Tenure's"},
    FailureRow{SQLITE_SCHEMA, StoreError::wrong_schema, RequestOutcome::rejected,
               "its tables were changed meanwhile"},
    FailureRow{
        kNotThere, StoreError::unreachable, RequestOutcome::rejected,
        "it was moved or deleted: put it back, with its log (-wal), and it goes on by itself. It is not made "
        "again, because that would destroy what is in its log"},
    FailureRow{
        kLogAlone, StoreError::unreachable, RequestOutcome::rejected,
        "the file is missing or empty, but its log is there and has the last commits: put the file back "
        "beside the log, or move the log away to start with a new file; if it was emptied while programs "
        "use it, stop them all first"},
    FailureRow{
        kLogRemoved, StoreError::unreachable, RequestOutcome::rejected,
        "its log (-wal) or the log's index (-shm) was removed or replaced while programs use it: put both "
        "back, or stop all these programs, and only then start one. What the old log has is written into "
        "the file by the last one that stops"},
    FailureRow{
        kEmptied, StoreError::unreachable, RequestOutcome::rejected,
        "it was emptied while programs use it: stop all of them. The last one that stops writes what its "
        "log has into the file; what was in the file alone is lost, so look at it (`sqlite3 FILE 'PRAGMA "
        "integrity_check'`) or restore a backup before one is started again"},
};
constexpr FailureRow kOther{0, StoreError::failed, RequestOutcome::unknown,
                            "SQLite reports an error that was not foreseen"};

const FailureRow& row_of(int code) {
  const auto row =
      std::find_if(kTable.begin(), kTable.end(), [&](const FailureRow& r) { return r.code == code; });
  return row == kTable.end() ? kOther : *row;
}

std::string message_of(const FailureRow& row, const SqliteFailure& failure, const std::string& path) {
  if (failure.code < 0)  // our own
    return fmt::format("{}: {} ({})", path, row.words, failure.message);
  std::string message = fmt::format("{}: {} (SQLite: {}", path, row.words, failure.message);
  if (failure.system != 0) message += fmt::format(", {}", std::strerror(failure.system));
  return message + ")";
}

// What is in the way of a file that SQLite merely cannot open.
OpenError obstacle(const std::string& path, const SqliteFailure& failure) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (fs::is_directory(path, ignored))
    return {StoreError::unreachable,
            path + ": is a folder; a file is needed, which is made if it is not there"};
  if (!fs::exists(folder, ignored) && !ignored)
    return {StoreError::unreachable, fmt::format("{}: there is no folder {}", path, folder.string())};
  if (failure.system == EACCES || failure.system == EPERM || ignored)
    return {StoreError::not_permitted,
            path + ": the account may not open it; it needs to write the file and its folder"};
  if (failure.system == EROFS) return {StoreError::read_only, path + ": the file system may only be read"};
  return {row_of(failure.code).trouble, message_of(row_of(failure.code), failure, path)};
}

}  // namespace

Answer answer_of(const SqliteFailure& failure, SqliteStage stage, const std::string& path) {
  const FailureRow& row = row_of(failure.code);
  const std::string message = message_of(row, failure, path);
  if (stage == SqliteStage::before_commit || row.in_commit == RequestOutcome::rejected)
    return rejected(row.trouble, message);
  return unknown(row.trouble, message);
}

OpenError open_error_of(const SqliteFailure& failure, const std::string& path) {
  const bool not_there = failure.code == kNotThere || failure.code == SQLITE_CANTOPEN;
  if (not_there || failure.code == SQLITE_PERM) return obstacle(path, failure);
  const FailureRow& row = row_of(failure.code);
  return {row.trouble, message_of(row, failure, path)};
}

}  // namespace tenure::sqlite
