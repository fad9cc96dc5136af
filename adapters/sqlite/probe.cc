#include "adapters/sqlite/probe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "adapters/sqlite/failure.h"
#include "adapters/sqlite/sqlite_store.h"
#include "adapters/sqlite/statement.h"

namespace tenure::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "SQLite format 3";

// A file that goes away, with its log and the log's index.
class OwnFile {
 public:
  explicit OwnFile(std::string path) : path_(std::move(path)) {}
  OwnFile(const OwnFile&) = delete;
  ~OwnFile() {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path_ + suffix, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Probe final : public StoreProbe {
 public:
  // Throws Failure.
  Probe(std::string meant, std::string own, Duration timeout)
      : meant_(std::move(meant)),
        file_(std::move(own)),
        timeout_(timeout),
        connection_(file_.path(), Make::yes) {
    connection_.give_up_after(timeout);
    connection_.ask("PRAGMA journal_mode = WAL");
    connection_.execute("PRAGMA synchronous = FULL");  // as the reference store
    connection_.execute("CREATE TABLE probe (one INTEGER PRIMARY KEY, count INTEGER NOT NULL)");
    connection_.execute("INSERT INTO probe VALUES (1, 0)");
  }

  std::variant<StoreTime, OpenError> read_clock() override {
    if (auto error = executed([&] { connection_.ask("SELECT CAST(count AS TEXT) FROM probe"); }))
      return *error;
    return host_clock();
  }
  std::optional<OpenError> commit() override {
    return executed([&] { connection_.execute("UPDATE probe SET count = count + 1"); });
  }

  std::string place() const override { return meant_; }
  bool shares_our_clock() const override { return true; }

 private:
  template <class Work>
  std::optional<OpenError> executed(Work work) {
    try {
      connection_.give_up_after(timeout_);
      work();
      return std::nullopt;
    } catch (const SqliteFailure& failure) {
      return open_error_of(failure, file_.path());
    }
  }

  std::string meant_;
  OwnFile file_;
  Duration timeout_;
  SqliteConnection connection_;  // closed before the file goes
};

}  // namespace

ProbeOpened open_probe(const std::string& path, Duration timeout) {
  errno = 0;
  std::ifstream meant(path, std::ios::binary);
  std::string begin(kMagic.size(), '\0');
  meant.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (!meant && !meant.eof())
    return OpenError{StoreError::unreachable,
                     fmt::format("{}: it cannot be read: {}", path, std::strerror(errno == 0 ? EIO : errno))};
  if (meant.gcount() > 0 && begin != kMagic)
    return OpenError{StoreError::corrupt, fmt::format("{}: it is not a database of SQLite", path)};
  try {
    return std::unique_ptr<StoreProbe>(
        std::make_unique<Probe>(path, fmt::format("{}-probe-{}", path, getpid()), timeout));
  } catch (const SqliteFailure& failure) {
    return open_error_of(failure, path);
  }
}

}  // namespace tenure::sqlite
