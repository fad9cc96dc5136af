// Guards a user's own transaction on the user's own connection to the store's file.
//
//   sqlite3_exec(db, "BEGIN IMMEDIATE", …);
//   if (auto why = tenure::fence(db, term.resource, term.token)) {
//     sqlite3_exec(db, "ROLLBACK", …);
//     return give_up(*why);
//   }
//   … writes to tables of the user's own, in the same file …
//   sqlite3_exec(db, "COMMIT", …);
//
// The transaction has SQLite's write lock, so no other node is granted the lease until it is over. So its writes happen
// under the term, or not at all. Keep it short: renewals wait for it, too.
//
// Thread rule: as SQLite: one thread at a time for a connection.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/ids.h"
#include "core/base/time.h"

struct sqlite3;  // of <sqlite3.h>

namespace tenure {

// Why this transaction must not write: the term belongs to another, no transaction holds the write lock (BEGIN
// IMMEDIATE), or the file cannot be read. nullopt: it may. `clock`: the store's.
std::optional<std::string> fence(sqlite3* db, ResourceId resource, const Token& token,
                                 const std::function<StoreTime()>& clock);
std::optional<std::string> fence(sqlite3* db, ResourceId resource,
                                 const Token& token);  // with this machine's clock

}  // namespace tenure
