#include "adapters/sqlite/fence.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>

#include "adapters/sqlite/sqlite_store.h"

namespace tenure {
namespace {

constexpr const char* kLease =
    "SELECT r.holder_life <> 0, r.branch = m.branch AND r.branch = ?2 AND r.epoch = ?3 AND r.nonce = ?4, "
    "r.expires_us "
    "FROM main.tenure_resource r, main.tenure_meta m WHERE r.resource = ?1";

std::string not_leader(ResourceId resource, std::string_view why) {
  return fmt::format("not the leader of resource {}: {}", resource.value, why);
}

}  // namespace

std::optional<std::string> fence(sqlite3* db, ResourceId resource, const Token& token,
                                 const std::function<StoreTime()>& clock) {
  if (sqlite3_txn_state(db, "main") != SQLITE_TXN_WRITE)
    return "no transaction that holds the write lock is open: begin it with BEGIN IMMEDIATE";
  int moved = 0;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved != 0)
    return "the file was moved, deleted or replaced: no other process would see what is written to it";
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(db, kLease, -1, &prepared, nullptr) != SQLITE_OK)
    return std::string(sqlite3_errmsg(db));
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(prepared, &sqlite3_finalize);
  sqlite3_bind_int64(prepared, 1, resource.value);
  sqlite3_bind_int64(prepared, 2, token.branch);
  sqlite3_bind_int64(prepared, 3, as_signed(token.epoch));
  sqlite3_bind_int64(prepared, 4, as_signed(token.nonce));
  const int step = sqlite3_step(prepared);
  if (step == SQLITE_DONE) return not_leader(resource, "nobody has ever held the lease");
  if (step != SQLITE_ROW) return std::string(sqlite3_errmsg(db));
  // What is not known to be so is not: a column that is null reads as 0.
  if (sqlite3_column_int(prepared, 0) != 1) return not_leader(resource, "nobody holds the lease");
  if (sqlite3_column_int(prepared, 1) != 1) return not_leader(resource, "another term has begun");
  // The clock last, behind the lock.
  if (clock().ns() / 1'000 >= sqlite3_column_int64(prepared, 2))
    return not_leader(resource, "the lease has expired");
  return std::nullopt;
}

std::optional<std::string> fence(sqlite3* db, ResourceId resource, const Token& token) {
  return fence(db, resource, token, host_clock);
}

}  // namespace tenure
