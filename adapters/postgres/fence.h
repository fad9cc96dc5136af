// Guards a transaction of the user's own, on a connection of the user's own.
//
//   PQexec(connection, "BEGIN");
//   if (auto why = tenure::fence(connection, resource, term.token)) { PQexec(connection, "ROLLBACK"); return
//   give_up(*why); } … writes … PQexec(connection, "COMMIT");
//
// While such a transaction is open nobody else is granted the lease, so what it writes is written under the term or
// not at all. It is `SELECT tenure.assert_epoch(…)` (docs/postgres.md), which other languages call themselves. It
// blocks for as long as an acquire or a release of the same lease does; the connection's own statement_timeout bounds
// that.
//
// Thread rule: as libpq: one thread at a time for a connection.
#pragma once

#include <optional>
#include <string>

#include "core/base/ids.h"

struct pg_conn;  // PGconn

namespace tenure {

// Why this transaction must not write: it is another's term, or the server could not say. nullopt: it may.
// REQUIRES: a transaction is open on the connection; without one the guard ends with its own statement.
std::optional<std::string> fence(pg_conn* connection, ResourceId resource, const Token& token);

}  // namespace tenure
