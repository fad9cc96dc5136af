// Guards a transaction of the user's own, on a connection of the user's own to the store's file.
//
//   sqlite3_exec(db, "BEGIN IMMEDIATE", …);
//   if (auto why = tenure::fence(db, term.resource, term.token)) {
//     sqlite3_exec(db, "ROLLBACK", …);
//     return give_up(*why);
//   }
//   … writes to tables of the user's own, in the same file …
//   sqlite3_exec(db, "COMMIT", …);
//
// The transaction has SQLite's write lock, so nobody else is granted the lease until it is over: what it writes is
// written under the term or not at all. Keep it short: renewals wait for it, too.
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

// Why this transaction must not write: it is another's term, there is no transaction that holds the write lock
// (BEGIN IMMEDIATE), or the file cannot say. nullopt: it may. `clock`: the store's.
std::optional<std::string> fence(sqlite3* db, ResourceId resource, const Token& token,
                                 const std::function<StoreTime()>& clock);
std::optional<std::string> fence(sqlite3* db, ResourceId resource,
                                 const Token& token);  // with this machine's clock

}  // namespace tenure
