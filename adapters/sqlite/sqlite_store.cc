#include "adapters/sqlite/sqlite_store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "adapters/sqlite/failure.h"
#include "adapters/sqlite/migrate.h"
#include "adapters/sqlite/partition.h"
#include "core/base/check.h"

namespace tenure {
namespace {

using sqlite::Make;
using sqlite::SqliteConnection;
using sqlite::SqliteFailure;
using sqlite::SqlitePartition;
using sqlite::SqliteStage;

ResourceId resource_of(const reference::Request& request) {
  return std::visit([](const auto& asked) { return asked.resource; }, request);
}

// Two processes that turn a fresh file to WAL at once are told `busy` without a wait, so the wait is here.
std::string ask_for_wal(SqliteConnection& connection) {
  for (int times = 0;; ++times) {
    try {
      return connection.ask("PRAGMA journal_mode = WAL");
    } catch (const SqliteFailure& failure) {
      if (failure.code != SQLITE_BUSY || !connection.wait_for_others(times)) throw;
    }
  }
}

void use_wal(SqliteConnection& connection) {
  const std::string mode = ask_for_wal(connection);
  if (mode != "wal" && mode != "memory")
    throw SqliteFailure{SQLITE_CANTOPEN,
                        "the file system does not allow journal_mode = WAL, it stays " + mode};
}

// A commit is on the disk before it is acknowledged. Pages are kept as long as there is use for them: a million
// schedules are some 100 MB. What the log has used beyond the limit is given back once it begins anew
// (Connection::on_commit and bound_log see to that).
constexpr const char* kSettings =
    "PRAGMA synchronous = FULL; PRAGMA cache_size = -131072; PRAGMA journal_size_limit = 33554432;"
    "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF";

// Locks first: whoever writes has the database for himself before anything is read, the clock included.
constexpr const char* kWrite = "BEGIN IMMEDIATE";
constexpr const char* kRead = "BEGIN";

constexpr const char* kIdentity = "SELECT identity FROM tenure_meta";

std::unique_ptr<SqliteConnection> connect(const SqliteOptions& options, Make make, Duration within) {
  auto connection = std::make_unique<SqliteConnection>(options.path, make);
  connection->give_up_after(within);
  if (sqlite3_db_readonly(connection->handle(), "main") == 1)
    throw SqliteFailure{SQLITE_READONLY, "opened for reading only"};
  use_wal(*connection);
  connection->execute(kSettings);
  return connection;
}

// Less than all, so that whoever waits hears what was in the way: after the deadline, all that is known is that the
// request may have been executed.
Duration before(Duration timeout) { return timeout - timeout / 10; }

}  // namespace

StoreTime host_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return StoreTime{} + Duration::micros(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

SqliteStore::SqliteStore(SqliteOptions options, std::unique_ptr<SqliteConnection> connection)
    : options_(std::move(options)),
      connection_(std::move(connection)),
      statements_(std::make_unique<sqlite::Statements>(*connection_)),
      identity_(connection_->ask(kIdentity)) {
  connection_->remember_log();
}

SqliteStore::Opened SqliteStore::open(SqliteOptions options) {
  if (options.zones == nullptr) options.zones = &only_utc();
  if (options.path.empty()) return OpenError{StoreError::unreachable, "the path of the database is empty"};
  try {
    auto connection = connect(options, options.create && options.migrate ? Make::yes : Make::no,
                              std::min(options.timeout, options.connect_within));
    if (!options.shares_file)
      if (auto error = sqlite::others_use(*connection, options.path)) return *std::move(error);
    if (auto error = sqlite::migrate(*connection, options.path, options.migrate)) return *std::move(error);
    return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(options), std::move(connection)));
  } catch (const SqliteFailure& failure) {
    if (failure.code == sqlite::kNotThere && !options.migrate)
      return OpenError{StoreError::wrong_schema, sqlite::wrong_version(0, options.path)};
    return sqlite::open_error_of(failure, options.path);
  }
}

// One transaction: `work` is done between the begin and the commit, and fills the answer.
template <class Work>
Answer SqliteStore::transaction(const char* begin, Duration timeout, Work work) {
  SqliteStage stage = SqliteStage::before_commit;
  bool sound = true;
  Answer answer;
  try {
    connection_->give_up_after(before(timeout));
    (*statements_)[begin].run();
    connection_->check_place();
    work(answer);
    stage = SqliteStage::in_commit;
    connection_->take_your_time();  // from here on there is nothing to give up
    (*statements_)["COMMIT"].run();
    answer.outcome = RequestOutcome::applied;
    connection_->bound_log();
    return answer;
  } catch (const SqliteFailure& failure) {
    answer = sqlite::answer_of(failure, stage, options_.path);
    // Without its log it stays open, and refuses: to open the file anew would be to go on without what is in the log.
    sound = failure.code != SQLITE_CANTOPEN;
  }
  if (!connection_->roll_back() || !sound) {
    statements_.reset();
    connection_.reset();
  }
  return answer;
}

Answer SqliteStore::execute(const reference::Request& request, Duration timeout) {
  if (auto broken = reconnect(timeout); broken) return *std::move(broken);
  const auto with_partition = [&](Answer& answer, const auto& work) {
    SqlitePartition partition(*statements_, *options_.zones, resource_of(request), options_.history);
    if (partition.schema_version() > sqlite::kNewestSchema)
      throw SqliteFailure{SQLITE_SCHEMA, sqlite::wrong_version(partition.schema_version(), options_.path)};
    if (options_.clock) {
      answer.store_time = options_.clock();
      partition.set_now(answer.store_time);
    } else {
      const sqlite::HostTime now = sqlite::host_time();
      answer.store_time = now.now;
      partition.set_now(now, !reference::only_reads(request));
    }
    work(partition);
    answer.position = partition.position();
  };
  // A worker that waits asks again and again. As long as there is nothing for it, it is answered by a read.
  if (const auto* claim = std::get_if<reference::ClaimExecutions>(&request)) {
    bool is_idle = false;
    Answer looked = transaction(kRead, timeout, [&](Answer& answer) {
      with_partition(answer, [&](SqlitePartition& partition) { is_idle = partition.finds_nothing(*claim); });
      answer.reply = reference::ClaimedExecutions{};
    });
    if (is_idle || looked.outcome != RequestOutcome::applied) return looked;
  }
  const char* const begin = reference::only_reads(request) ? kRead : kWrite;
  return transaction(begin, timeout, [&](Answer& answer) {
    with_partition(answer, [&](SqlitePartition& partition) {
      answer.reply = std::visit([&](const auto& asked) { return partition.apply(asked); }, request);
      answer.changed = partition.save();
      answer.notifications = partition.take_notifications();
      answer.warnings = partition.take_warnings();
    });
  });
}

std::optional<StoreAudit> SqliteStore::audit(ResourceId resource) {
  if (reconnect(options_.timeout)) return std::nullopt;
  std::optional<StoreAudit> audit;
  const Answer answer = transaction(kRead, options_.timeout, [&](Answer&) {
    audit = SqlitePartition(*statements_, *options_.zones, resource, options_.history).audit();
  });
  return answer.outcome == RequestOutcome::applied ? audit : std::nullopt;
}

Answer SqliteStore::promote(std::uint32_t branch, Duration timeout) {
  if (auto broken = reconnect(timeout); broken) return *std::move(broken);
  return transaction(kWrite, timeout, [&](Answer&) {
    const std::string now = connection_->ask("SELECT branch FROM tenure_meta");
    CHECK(branch > std::strtoul(now.c_str(), nullptr, 10), "branches grow from promotion to promotion");
    connection_->execute(fmt::format("UPDATE tenure_meta SET branch = {}", branch));
  });
}

std::optional<Answer> SqliteStore::reconnect(Duration timeout) {
  if (connection_ != nullptr) return std::nullopt;
  try {
    connection_ = connect(options_, Make::no, timeout);
    if (auto error = other_store(options_.path, identity_, connection_->ask(kIdentity))) {
      connection_.reset();
      return rejected(error->trouble, std::move(error->message));
    }
    connection_->remember_log();
    statements_ = std::make_unique<sqlite::Statements>(*connection_);
    return std::nullopt;
  } catch (const SqliteFailure& failure) {
    connection_.reset();
    OpenError error = sqlite::open_error_of(failure, options_.path);
    return rejected(error.trouble, std::move(error.message));
  }
}

SqliteStore::Opened SqliteStore::copy_in_memory(std::function<StoreTime()> clock) {
  SqliteOptions options{
      .path = ":memory:", .zones = options_.zones, .clock = std::move(clock), .history = options_.history};
  try {
    auto copy = std::make_unique<SqliteConnection>(options.path, Make::yes);
    sqlite3_backup* backup = sqlite3_backup_init(copy->handle(), "main", connection_->handle(), "main");
    if (backup == nullptr) copy->fail();
    sqlite3_backup_step(backup, -1);
    if (sqlite3_backup_finish(backup) != SQLITE_OK) copy->fail();
    copy->execute(kSettings);
    return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(options), std::move(copy)));
  } catch (const SqliteFailure& failure) {
    return sqlite::open_error_of(failure, options.path);
  }
}

}  // namespace tenure
