// A Postgres server of our own, whose clock is the simulator's: it listens on a socket in a directory of its own, and
// is gone with it when we are (local_postgres/server_keeper.h).
//
//   I1. What one run leaves behind, the next one does not see: reset() begins with an empty schema. Numbers of
//       Postgres' own (ctid, xmin, oid, txid_current()) go on counting.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "adapters/local_postgres/server_keeper.h"
#include "adapters/sql_postgres/clock_page.h"
#include "core/base/time.h"

struct pg_conn;  // libpq's

namespace tenure::sql_postgres {

// Where Postgres 15 is installed, and where the library is that gives it our clock.
struct Installation {
  std::string programs = "/usr/lib/postgresql/15/bin";
  std::string clock;  // empty: beside this program, or in ../lib/tenure from there
};

using Connection = std::unique_ptr<pg_conn, void (*)(pg_conn*)>;

class Server {
 public:
  // Throws HostFailure: Postgres is not installed, or does not start.
  explicit Server(const Installation& installation);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // An empty schema, whose owner the clients' role is; no client is connected.
  void reset();
  void set_now(StoreTime now);

  // A client's connection; its backend draws from a stream of its own, by the order of opening since reset().
  Connection connect();
  // An entry of the page for a backend. leave() waits until its process is gone.
  TenureBackend& enter(int process);
  void leave(TenureBackend& entry);
  // Whether the backend waits for a lock that another one holds.
  bool waits_for_lock(int process);
  bool has_advisory_lock(int process);

 private:
  Connection connect_as(const char* role);
  // Of our own connection, which is no client's. Throws HostFailure.
  void order(const char* sql);
  // A question about one backend, as $1, whose answer is true or false.
  bool is_so(const char* question, int process);

  local_postgres::ServerKeeper keeper_;
  ClockPage page_;
  Connection ours_;
  int resets_ = 0;
};

}  // namespace tenure::sql_postgres
