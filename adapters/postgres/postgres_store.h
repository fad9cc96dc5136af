// The reference store in Postgres.
//
//   1. A request is one call of a function in schema `tenure`: one round trip, one transaction. It locks, then
//      reads the server's clock, once. Locks are in schema/*.sql; the one that matters most: fires hold the lease
//      row FOR KEY SHARE, so that they keep an acquire waiting and a renewal not. Renewals should have a store of
//      their own.
//   2. Puts and deletes look first, compute slots here, and write on the condition that nothing has changed.
//   3. The branch is the timeline of the server's log: a promotion begins another one.
//   4. Deadlines hold on both sides: the server gives up waiting for locks before the client does, so that mostly
//      it is known what became of a request; the client gives up at the deadline whatever happens.
//   5. Positions (Answer) go up, with gaps, among requests that write leases and among those that write schedules.
//      A renewal may have the position of a commit that ran beside it; their order does not matter.
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
  std::string connection;  // libpq's connection string or URI; what it leaves out, PGHOST and others say
  const TimeZones* zones = nullptr;          // of definitions, outliving the store; null: UTC alone
  Duration timeout = Duration::seconds(10);  // to open it, tables included where they have to be made
  Duration connect_within = timeout;         // to find a server that will do; all hosts together
  bool migrate = true;                       // false: the tables must be there
  // A pool stands between, and hands out a connection for a transaction (pgbouncer): nothing is kept on one, neither
  // settings nor prepared statements.
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
  // A connection that is good for something. Tables may take until `to_migrate`. Throws Failure, or gives the reason
  // why this server will not do.
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
  std::string place_ = "Postgres";  // as it was last known
  std::string identity_;            // of the first connection
  std::int64_t statement_ms_ = 0;   // as the session has it
};

}  // namespace tenure
