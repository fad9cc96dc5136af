// Guards a user's own transaction on the user's own connection.
//
//   PQexec(connection, "BEGIN");
//   if (auto why = tenure::fence(connection, resource, term.token)) { PQexec(connection, "ROLLBACK"); return
//   give_up(*why); } … writes … PQexec(connection, "COMMIT");
//
// While such a transaction is open, no other node is granted the lease. So its writes happen under the term, or not at
// all. The guard is `SELECT tenure.assert_epoch(…)` (docs/postgres.md); other languages call that themselves. It blocks
// while an acquire or a release of the same lease is under way; the connection's own statement_timeout bounds that.
//
// Thread rule: as libpq: one thread at a time for a connection.
#pragma once

#include <optional>
#include <string>

#include "core/base/ids.h"

struct pg_conn;  // PGconn

namespace tenure {

// Why this transaction must not write: the term belongs to another, or the server could not tell. nullopt: it may.
// REQUIRES: a transaction is open on the connection; otherwise the guard ends with its own statement.
std::optional<std::string> fence(pg_conn* connection, ResourceId resource, const Token& token);

}  // namespace tenure
