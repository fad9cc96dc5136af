// A connection to SQLite and its prepared statements, in the types of the core.
//
// Inside this room a failure of the engine is thrown (Failure): any statement can meet one, and one place decides what
// to do, SqliteStore::transaction. It never leaves the room.
//
// Thread rule: one connection, with its statements, belongs to one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "adapters/store/row_values.h"
#include "core/base/ids.h"
#include "core/base/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tenure::sqlite {

// Our own codes: there is no database at the path; only its log is left; its log was removed while it is in use; the
// file was emptied while it is in use.
inline constexpr int kNotThere = -2;
inline constexpr int kLogAlone = -3;
inline constexpr int kLogRemoved = -4;
inline constexpr int kEmptied = -5;

// What the engine said.
struct SqliteFailure {
  int code = 0;  // SQLITE_BUSY, …, without the details; or one of those above
  std::string message;
  int system = 0;  // errno, when the system was to blame
};

// Whether a missing file may be made. SQLite takes an empty file for a new database, and deletes the log (-wal) beside
// it. If the file was only moved away for a while, that log has the last commits. So a reconnect never makes the file,
// and no file is made beside a log.
enum class Make : bool { no, yes };

class SqliteConnection {
 public:
  // Throws Failure. `path` is a file's name and nothing else, or ":memory:".
  SqliteConnection(const std::string& path, Make make);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;

  sqlite3* handle() const { return db_; }
  // From now on, statements that are not done after `timeout` fail: with SQLITE_BUSY if they wait for a lock, with
  // SQLITE_INTERRUPT if they compute.
  void give_up_after(Duration timeout);
  // From now on, statements have no timeout.
  void take_your_time();
  // Waits a moment for a lock of others, the longer the more often it was asked. False: the timeout is over.
  bool wait_for_others(int times_before) const;

  // Remembers the log (-wal) and its index (-shm), for check_place(). REQUIRES: something was read, which opens them.
  void remember_log();
  // Throws if the file, or its log, has been moved, deleted or replaced: others now open another one under its name,
  // and SQLite would silently go on with the old one. Each side would then have a writer and a leader of its own.
  // Throws also if the file was emptied (`: > FILE`): what is acknowledged from then on rests on pages that are gone.
  void check_place() const;

  // Executes statements that give no rows.
  void execute(const std::string& sql);
  // Executes a statement that gives one text.
  std::string ask(const std::string& sql);
  [[noreturn]] void fail() const;

  // Tries to empty the log, if it has grown beyond its bound because there always was a reader. Tries for a moment, and
  // then not again for a while.
  void bound_log() noexcept;

  // Rolls back the open transaction, if there is one. False: it could not, and the connection cannot be used any more.
  bool roll_back() noexcept;

 private:
  // A file as the system knows it, whatever its name; zeros: there is none.
  struct FileId {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool operator==(const FileId&) const = default;
  };
  static FileId file_at(const std::string& name);
  // Throws if others use the file, but its log is gone from beside it.
  void refuse_a_removed_log() const;
  std::array<FileId, 2> log_now() const;

  static int on_busy(void* self, int count);
  static int on_progress(void* self);
  static int on_commit(void* self, sqlite3* db, const char* name, int pages);

  sqlite3* db_ = nullptr;
  std::string file_;                   // without links: its log stands beside it; empty: in memory
  std::array<FileId, 2> log_;          // and its index, as they were when they were opened
  std::int64_t deadline_ = INT64_MAX;  // on the steady clock
  int log_pages_ = 0;                  // as of the last commit
  std::int64_t next_bound_ = 0;        // on the steady clock
};

// The rows of a statement, one by one; each column is read once, in order.
class Rows : public RowReader<Rows> {
 public:
  explicit Rows(const SqliteConnection& connection, sqlite3_stmt* statement)
      : connection_(connection), statement_(statement) {}
  ~Rows();
  Rows(const Rows&) = delete;

  bool next();
  int columns() const;
  bool null();  // if it is null, also skips it
  std::int64_t integer();
  bool flag() { return integer() != 0; }
  std::string_view text();  // until the next row

 private:
  const SqliteConnection& connection_;
  sqlite3_stmt* statement_;
  int column_ = 0;
};

class Statement {
 public:
  Statement(const SqliteConnection& connection, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;

  // A struct is all its fields. REQUIRES: no other Rows of this statement are left.
  template <class... Values>
  Rows with(const Values&... values) {
    [[maybe_unused]] int place = 0;
    (bind_next(place, values), ...);
    return Rows(connection_, statement_);
  }
  // For statements that write; returns how many rows they changed.
  template <class... Values>
  std::int64_t run(const Values&... values) {
    Rows rows = with(values...);
    rows.next();
    return changes();
  }

 private:
  template <class Value>
  void bind_next(int& place, const Value& it) {
    visit_values(it, [&]<class One>(const One& value) {
      if constexpr (std::is_convertible_v<One, std::string_view> || std::is_null_pointer_v<One>)
        bind(++place, value);
      else
        bind(++place, to_integer(value));
    });
  }
  void bind(int place, std::int64_t value);
  void bind(int place, std::nullptr_t);
  void bind(int place, std::string_view value);
  std::int64_t changes() const;

  const SqliteConnection& connection_;
  sqlite3_stmt* statement_ = nullptr;
};

// The statements of a connection, each prepared once, when it is first used.
class Statements {
 public:
  explicit Statements(const SqliteConnection& connection) : connection_(connection) {}
  // `sql` is known by its address: a literal, or as lasting.
  Statement& operator[](const char* sql) { return known_.try_emplace(sql, connection_, sql).first->second; }

 private:
  const SqliteConnection& connection_;
  std::map<const char*, Statement> known_;
};

}  // namespace tenure::sqlite
