// The reference store in an SQLite file: for one machine, and any number of processes on it.
//
//   1. A request that writes takes the write lock, then reads the clock, once. SQLite has one writer at a time, so
//      commits have the order of their clock readings. Reads see one moment and lock nothing.
//   2. Its clock is the host's, which all users of the file share. It may step, like any store's clock. The next
//      request that writes notices that, whoever has run meanwhile, and sets a hold (host_time.h).
//   3. An acknowledged commit is on the disk (journal in WAL, synchronous FULL), if the disk keeps its word.
//   4. SQLite's locks do not work on a file that is shared over a network: docs/sqlite.md.
//
// Thread rule: as StoreBackend.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "adapters/sqlite/statement.h"
#include "adapters/store/store_backend.h"
#include "core/base/hash.h"
#include "core/schedule/time_zone.h"

namespace tenure {

// The wall clock of this machine, in whole microseconds.
StoreTime host_clock();

struct SqliteOptions {
  std::string path;                          // ":memory:" for a database that lives as long as the store
  const TimeZones* zones = nullptr;          // for definitions; must outlive the store; null: UTC alone
  std::function<StoreTime()> clock = {};     // with the locks held; empty: the host's, whose jumps set a hold
  Duration timeout = Duration::seconds(10);  // to open it
  Duration connect_within = timeout;         // likewise; whichever is shorter
  bool migrate = true;                       // false: the tables must be there
  bool create = true;                        // false: the file must be there
  bool shares_file = true;                   // false: no tables are added to a file that has those of others
  bool history = true;                       // false: of what becomes of slots it keeps no rows
};

class SqliteStore final : public StoreBackend {
 public:
  using Options = SqliteOptions;
  using Opened = std::variant<std::unique_ptr<SqliteStore>, OpenError>;
  static Opened open(SqliteOptions options);

  Answer execute(const reference::Request& request, Duration timeout) override;
  std::string place() const override { return options_.path; }
  std::string identity() const override { return identity_; }
  std::optional<StoreAudit> audit(ResourceId resource) override;

  // For a restored backup: from now on the store writes on `branch`, which is larger than any before. Tokens of the
  // branch before it are refused.
  Answer promote(std::uint32_t branch, Duration timeout);
  // A copy of everything stored, in memory, with its own clock.
  Opened copy_in_memory(std::function<StoreTime()> clock);
  // As StoreMachine. REQUIRES: it can be read.
  void hash(Hasher& hasher, StoreTime now);

 private:
  SqliteStore(SqliteOptions options, std::unique_ptr<sqlite::SqliteConnection> connection);
  template <class Work>
  Answer transaction(const char* begin, Duration timeout, Work work);
  // Opens the file again after a connection had to be given up; never makes it. An answer: it could not.
  std::optional<Answer> reconnect(Duration timeout);

  SqliteOptions options_;
  std::unique_ptr<sqlite::SqliteConnection> connection_;
  std::unique_ptr<sqlite::Statements> statements_;
  const std::string identity_;  // of the first connection
};

}  // namespace tenure
