// A Postgres 15 server of our own, in a temporary directory, that can be stopped, crashed, restarted and replaced by
// its streaming replica. It listens on a Unix socket in that directory, so that it takes no port; clients that need one
// come through a TcpProxy (address()).
//
// Who keeps it, as whom it runs, and that it ends with us: server_keeper.h. Only who has the password gets in: a proxy
// before it is open to every user of this machine.
//
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "adapters/loopback/server_address.h"

struct pg_conn;  // libpq's

namespace tenure::local_postgres {

class ServerKeeper;

struct LocalPostgres {
  std::string programs = "/usr/lib/postgresql/15/bin";
  std::string settings = {};       // lines for postgresql.conf, after ours
  std::string asker = "Postgres";  // begins messages: `--store postgres`
};

class PostgresServer {
 public:
  // A running server with an empty database "tenure". Throws HostFailure: Postgres is not installed, or does not start.
  explicit PostgresServer(const LocalPostgres& options = {});
  ~PostgresServer();
  PostgresServer(PostgresServer&&) noexcept;
  PostgresServer& operator=(PostgresServer&&) = delete;

  // A streaming replica of this server, a hot standby, that has all that is committed now.
  // REQUIRES: this server runs. Throws HostFailure.
  PostgresServer make_replica();

  // Ends all connections and stops ("fast"). A server that is down stays down.
  void stop();
  // SIGKILL to the postmaster and its children, all at once.
  void crash();
  // Starts a server that is down, which recovers; waits until it accepts connections. Throws HostFailure.
  void start();
  // Of a replica: it takes over, and accepts writes when this returns. What it has not received is lost.
  // The old server must be fenced off first: stopped or crashed, or its proxies turned here and cut.
  void promote();
  // SIGSTOP to the postmaster and all its children, and SIGCONT: connections stay, and nothing answers.
  void pause();
  void resume();
  bool is_running() const;
  // Whether a standby has applied all that its primary has committed before now.
  bool has_caught_up_with(const PostgresServer& primary);

  // For the proxy's server.
  loopback::ServerAddress address() const;
  // For clients: through a proxy's port, or directly.
  std::string connection(std::uint16_t proxy_port) const;
  std::string connection() const;
  const std::string& password() const;
  // What its log says last.
  std::string last_words() const;

 private:
  struct Parts;
  explicit PostgresServer(std::unique_ptr<Parts> parts);
  std::string connection_to(const std::string& database) const;
  std::unique_ptr<Parts> parts_;
};

// A session that has run `sql` in a transaction and stays in it: it holds the locks that this took, until it is gone.
// store-lock-held: `SELECT 1 FROM tenure.lease FOR UPDATE`.
class HeldLock {
 public:
  // Throws HostFailure with the server's words.
  HeldLock(const std::string& connection, const std::string& sql);

 private:
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> session_;
};

}  // namespace tenure::local_postgres
