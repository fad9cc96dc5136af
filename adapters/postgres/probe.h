// Measures Postgres from outside: Tenure's tables need not be there.
//
// The read is clock_timestamp(). The commit is a transaction that writes one small message to the server's log and
// nothing to any table (pg_logical_emit_message, transactional). It is flushed and replicated like every commit, and
// leaves some hundred bytes of log, no row, no lock and nothing to vacuum. (A temporary table would be wrong: its
// writes are not logged, so its commit waits for no disk.) Subscribers who decode the log and ask for messages see one
// with the prefix "tenure-probe". Nothing is prepared, so a pool may stand between.
//
// Thread rule: as StoreProbe.
#pragma once

#include <string>

#include "adapters/store/store_probe.h"

namespace tenure::postgres {

// `connection` as in PostgresOptions. `timeout` is for the opening, and for each request.
ProbeOpened open_probe(const std::string& connection, Duration timeout);

}  // namespace tenure::postgres
