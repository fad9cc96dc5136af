// Postgres, measured from outside: nothing of Tenure needs to be there.
//
// The read is clock_timestamp(). The commit is that of a transaction that writes one small message to the server's log
// and nothing to any table (pg_logical_emit_message, transactional): it is flushed and replicated as every commit is,
// and leaves some hundred bytes of log, no row, no lock and nothing to vacuum. (A temporary table would not do: what is
// written to one is not logged, so its commit waits for no disk.) Subscribers who decode the log and ask for messages
// see one with the prefix "tenure-probe". Nothing is prepared, so that a pool may stand between.
//
// Thread rule: as StoreProbe.
#pragma once

#include <string>

#include "adapters/store/store_probe.h"

namespace tenure::postgres {

// `connection` as in PostgresOptions. `timeout` holds for the opening, and for each request.
ProbeOpened open_probe(const std::string& connection, Duration timeout);

}  // namespace tenure::postgres
