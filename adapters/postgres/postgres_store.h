// The reference store in Postgres.
//
//   1. A request is one call of a function in schema `tenure`: one round trip, one transaction. It locks, then reads
//      the server's clock, once. Locks are in schema/*.sql. The most important one: fires hold the lease row FOR KEY
//      SHARE, so an acquire waits for them and a renewal does not. Renewals should have their own connection.
//   2. Puts and deletes first read, compute slots here, and then write only if nothing has changed.
//   3. The branch is the timeline of the server's log: a promotion begins another one.
//   4. Deadlines hold on both sides. The server stops waiting for locks before the client does, so the outcome of a
//      request is mostly known. The client gives up at the deadline in any case.
//   5. Positions (Answer) go up, with gaps, separately for requests that write leases and for requests that write
//      schedules. A renewal may have the position of a commit that ran beside it; their order does not matter.
//
// Thread rule: as StoreBackend.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "adapters/postgres/calls.h"
#include "adapters/postgres/connection.h"
#include "adapters/store/store_backend.h"
#include "core/schedule/time_zone.h"

namespace tenure {

struct PostgresOptions {
  std::string connection;            // libpq's connection string or URI; PGHOST and others fill in the rest
  const TimeZones* zones = nullptr;  // for definitions; must outlive the store; null: UTC alone
  Duration timeout = Duration::seconds(10);  // to open it, including making the tables
  Duration connect_within = timeout;         // to find a suitable server; all hosts together
  bool migrate = true;                       // false: the tables must be there
  // A pool stands between and hands out a connection for one transaction (pgbouncer). So a connection keeps nothing,
  // neither settings nor prepared statements.
  bool pooled = false;
};

class PostgresStore final : public StoreBackend {
 public:
  using Options = PostgresOptions;
  using Opened = std::variant<std::unique_ptr<PostgresStore>, OpenError>;
  static Opened open(PostgresOptions options);

  Answer execute(const reference::Request& request, Duration timeout) override;
  std::string place() const override { return connection_ ? connection_->place() : place_; }
  std::string identity() const override { return identity_; }
  std::optional<StoreAudit> audit(ResourceId resource) override;

 private:
  explicit PostgresStore(PostgresOptions options) : options_(std::move(options)) {}
  // Makes a usable connection. Making the tables may take until `to_migrate`. Throws Failure, or returns why this
  // server is not suitable.
  std::optional<OpenError> connect(bool may_change, postgres::Deadline deadline,
                                   postgres::Deadline to_migrate);
  void limit_statements(Duration timeout, postgres::Deadline deadline);
  // How long the server may wait for one lock.
  static std::int64_t lock_wait_ms(const reference::Request& request, Duration timeout);
  void perform(const reference::Request& request, Duration timeout, postgres::Deadline deadline,
               Answer& answer);
  void perform(const postgres::Edit& edit, std::int64_t wait_ms, postgres::Deadline deadline, Answer& answer);

  PostgresOptions options_;
  std::optional<postgres::PostgresConnection> connection_;
  std::string place_ = "Postgres";  // as last known
  std::string identity_;            // of the first connection
  std::int64_t statement_ms_ = 0;   // as the session has it
};

}  // namespace tenure
