// Databases for tests in the cluster that PGHOST and others name (with_postgres.sh), and plain connections to them.
//
// Thread rule: one thread, but for Raw, of which each belongs to one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "adapters/loopback/tcp_proxy.h"
#include "adapters/postgres/postgres_store.h"
#include "core/base/time.h"

struct pg_conn;

namespace tenure::pgtest {

inline constexpr Duration kSecond = Duration::seconds(1);
// How long a test waits for what is to come: a busy machine may be slow.
inline constexpr Duration kPatience = Duration::seconds(60);

// A connection that does what it is told, without Tenure.
class Raw {
 public:
  explicit Raw(const std::string& connection);
  // The first column of the first row; the SQLSTATE, as "!40001", when it failed.
  std::string ask(const std::string& sql);
  // The same, but returns at once.
  void send(const std::string& sql);
  std::string receive();
  int backend() const;

 private:
  std::shared_ptr<pg_conn> connection_;
};

// A database with the tables of Tenure, dropped with its object.
class FreshDatabase {
 public:
  FreshDatabase();
  ~FreshDatabase();
  FreshDatabase(const FreshDatabase&) = delete;

  std::string connection() const { return "dbname=" + name_; }
  const std::string& name() const { return name_; }
  // Fails the test when it cannot be opened.
  std::unique_ptr<PostgresStore> open(bool pooled = false) const;
  // From now on the store's clock and branch are what the test says.
  void own_clock();
  void set_clock(StoreTime now);
  void set_branch(std::uint32_t branch);

 private:
  std::string clock_path() const;

  std::string name_;
  int clock_ = -1;  // the file's descriptor
  std::unique_ptr<Raw> control_;
};

// Short for what tests say.
inline constexpr ResourceId kResource{1};
inline Incarnation node(std::uint32_t number, std::uint32_t life = 1) {
  return {.node = {number}, .number = life};
}
// Where the cluster's server listens, and what a connection string says to go through a proxy before it.
loopback::ServerAddress server_address();
std::string through(const loopback::TcpProxy& proxy);
std::string outcome(const Answer& answer);  // "applied", "rejected: busy", …
// The answer to a request that a lock keeps waiting until its deadline, a second later. The server gives up a tenth
// before that, and where its word comes too late, the answer is unknown: then it is asked again, with more time.
Answer answer_of_the_server(StoreBackend& store, const reference::Request& request);

}  // namespace tenure::pgtest
