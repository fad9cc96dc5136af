// Preloaded into a `tenured` on SQLite: it is killed, or stands still, at a commit that a test chooses.
//
// A failpoint is armed by a file at the path in TENURE_FAILPOINT:
//
//   before                          or `after`: whether the COMMIT has been executed
//   9                               the signal that the process sends itself
//   ;UPDATE tenure_segment [^;]*;   which transaction: a pattern (regex(7), extended) that is found in its text
//
// The text of a transaction is its statements, from BEGIN on, with their values, and a `;` behind each. Those that had
// begun before the file was there are passed over. Whoever strikes removes the file: so a failpoint strikes once, and
// the test knows.
//
// Thread rule: any thread; a transaction belongs to the one that began it.
#include <dlfcn.h>
#include <regex.h>
#include <sqlite3.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace {

struct Failpoint {
  std::string when;
  int signal = 0;
  std::string pattern;

  bool is_in(const std::string& transaction) const {
    regex_t compiled;
    if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
    const bool found = regexec(&compiled, transaction.c_str(), 0, nullptr, 0) == 0;
    regfree(&compiled);
    return found;
  }

  // The signal is for this thread: it has its effect before the next line.
  void strike(const char* file) const {
    if (unlink(file) == 0) raise(signal);
  }
};

thread_local bool watches = false;  // a failpoint was armed when the transaction began
thread_local std::string transaction;

void begin(const char* file) {
  watches = access(file, F_OK) == 0;
  transaction.clear();
}

void note(sqlite3_stmt* statement) {
  char* text = sqlite3_expanded_sql(statement);
  if (text != nullptr) transaction.append(text).push_back(';');
  sqlite3_free(text);
}

int commit(sqlite3_stmt* statement, const char* file, int (*step)(sqlite3_stmt*)) {
  watches = false;
  Failpoint armed;
  std::ifstream in(file);
  const bool strikes = (in >> armed.when >> armed.signal >> std::ws) && std::getline(in, armed.pattern) &&
                       armed.is_in(transaction);
  if (strikes && armed.when == "before") armed.strike(file);
  const int result = step(statement);
  if (strikes && armed.when == "after" && result == SQLITE_DONE) armed.strike(file);
  return result;
}

}  // namespace

// Also called by SQLite itself, for sqlite3_exec.
extern "C" int sqlite3_step(sqlite3_stmt* statement) {
  static const auto step = reinterpret_cast<int (*)(sqlite3_stmt*)>(dlsym(RTLD_NEXT, "sqlite3_step"));
  static const char* const file = std::getenv("TENURE_FAILPOINT");
  const char* sql = sqlite3_sql(statement);
  if (file == nullptr || sql == nullptr || sqlite3_stmt_busy(statement) != 0) return step(statement);
  if (std::string_view(sql).starts_with("BEGIN")) begin(file);
  if (!watches) return step(statement);
  if (std::string_view(sql).starts_with("COMMIT")) return commit(statement, file, step);
  note(statement);
  return step(statement);
}
