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

struct Row {
  int code;
  Trouble trouble;
  Outcome in_commit;  // before it, every one is rejected
  std::string_view words;
};

constexpr std::array kTable = {
    Row{SQLITE_BUSY, Trouble::busy, Outcome::rejected,
        "another process held its lock beyond the deadline; a transaction that somebody left open would do "
        "that"},
    Row{SQLITE_LOCKED, Trouble::busy, Outcome::rejected, "another statement of this process holds its lock"},
    Row{SQLITE_INTERRUPT, Trouble::busy, Outcome::rejected, "the deadline passed while it was at work"},
    Row{SQLITE_FULL, Trouble::full, Outcome::unknown,
        "there is no room left: make some, and it goes on by itself"},
    Row{SQLITE_IOERR, Trouble::failed, Outcome::unknown, "the disk failed"},
    Row{SQLITE_NOMEM, Trouble::failed, Outcome::unknown, "there is no memory left"},
    Row{SQLITE_READONLY, Trouble::read_only, Outcome::rejected,
        "it may only be read: the account needs to write the file and its folder"},
    Row{SQLITE_CORRUPT, Trouble::corrupt, Outcome::unknown,
        "it is damaged: restore a backup, or save what can be read with `sqlite3 FILE .recover`"},
    Row{SQLITE_NOTADB, Trouble::corrupt, Outcome::unknown,
        "it is no SQLite database: another kind of file, an encrypted one, or one whose head was "
        "overwritten"},
    Row{SQLITE_PERM, Trouble::not_permitted, Outcome::rejected, "the account may not use it"},
    Row{SQLITE_AUTH, Trouble::not_permitted, Outcome::rejected, "the account may not use it"},
    Row{SQLITE_CANTOPEN, Trouble::unreachable, Outcome::unknown, "it cannot be opened"},
    Row{SQLITE_ERROR, Trouble::wrong_schema, Outcome::rejected, "its tables are not those of Tenure"},
    Row{SQLITE_SCHEMA, Trouble::wrong_schema, Outcome::rejected, "its tables were changed meanwhile"},
    Row{kNotThere, Trouble::unreachable, Outcome::rejected,
        "it was moved or deleted: put it back, with its log (-wal), and it goes on by itself. It is not made "
        "anew: "
        "that would destroy what is in its log"},
    Row{kLogAlone, Trouble::unreachable, Outcome::rejected,
        "it is not there, and its log is, which has what was committed last: put the file back beside it, "
        "or, if it "
        "is to be made anew, move the log away"},
};
constexpr Row kOther{0, Trouble::failed, Outcome::unknown, "SQLite reports an error that was not foreseen"};

const Row& row_of(int code) {
  const auto row = std::find_if(kTable.begin(), kTable.end(), [&](const Row& r) { return r.code == code; });
  return row == kTable.end() ? kOther : *row;
}

std::string message_of(const Row& row, const Failure& failure, const std::string& path) {
  if (failure.code == kNotThere || failure.code == kLogAlone)
    return fmt::format("{}: {} ({})", path, row.words, failure.message);
  std::string message = fmt::format("{}: {} (SQLite: {}", path, row.words, failure.message);
  if (failure.system != 0) message += fmt::format(", {}", std::strerror(failure.system));
  return message + ")";
}

// What is in the way of a file that SQLite merely cannot open.
OpenError obstacle(const std::string& path, const Failure& failure) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (fs::is_directory(path, ignored))
    return {Trouble::unreachable, path + ": is a folder; a file is needed, which is made if it is not there"};
  if (!fs::exists(folder, ignored) && !ignored)
    return {Trouble::unreachable, fmt::format("{}: there is no folder {}", path, folder.string())};
  if (failure.system == EACCES || failure.system == EPERM || ignored)
    return {Trouble::not_permitted,
            path + ": the account may not open it; it needs to write the file and its folder"};
  if (failure.system == EROFS) return {Trouble::read_only, path + ": the file system may only be read"};
  return {row_of(failure.code).trouble, message_of(row_of(failure.code), failure, path)};
}

}  // namespace

Answer answer_of(const Failure& failure, Stage stage, const std::string& path) {
  const Row& row = row_of(failure.code);
  const std::string message = message_of(row, failure, path);
  if (stage == Stage::before_commit || row.in_commit == Outcome::rejected)
    return rejected(row.trouble, message);
  return unknown(row.trouble, message);
}

OpenError open_error_of(const Failure& failure, const std::string& path) {
  const bool not_there = failure.code == kNotThere || failure.code == SQLITE_CANTOPEN;
  if (not_there || failure.code == SQLITE_PERM) return obstacle(path, failure);
  const Row& row = row_of(failure.code);
  return {row.trouble, message_of(row, failure, path)};
}

}  // namespace tenure::sqlite
