// A connection to Postgres on which no call takes longer than it may.
//
// libpq is used without its blocking calls: every wait is a poll() with the caller's deadline, so that a dead peer is
// found out in bounded time whatever the kernel believes. (Looking up a host's name is the exception: libpq asks the
// system's resolver, which has timeouts of its own. `hostaddr` needs no look-up.)
//
// Of several hosts each has its share of the deadline, and of several addresses of one each its share of that, so that
// one that says nothing leaves time for the others; libpq by itself would wait for it until the end. A name is looked
// up when its turn comes, so that one whose name server is dead does not keep anybody from those before it.
//
// An answer counts only once the server says that it is ready for the next request: what comes before that was sent
// before the commit.
//
// Failures are thrown (Failure), and caught in PostgresStore and PostgresListener. After one of stage `lost` the
// connection is of no more use.
//
// Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "adapters/postgres/discretion.h"
#include "adapters/postgres/failure.h"
#include "adapters/postgres/hosts.h"
#include "adapters/postgres/params.h"
#include "core/base/time.h"

struct pg_conn;

namespace tenure::postgres {

using Deadline = std::chrono::steady_clock::time_point;
Deadline deadline_after(Duration timeout);
std::chrono::milliseconds left_until(Deadline deadline);  // never negative

class PostgresConnection {
 public:
  // `conninfo` is a connection string of libpq, which may overrule the defaults here. `prepared`: statements are
  // prepared once, which a pool that hands out connections for a transaction does not allow. Once `over` is requested,
  // every wait soon ends as at its deadline.
  PostgresConnection(const std::string& conninfo, bool prepared, Deadline deadline, std::stop_token over = {},
                     const LookUp& look_up = addresses_of);

  // One statement that gives one row, in a transaction of its own.
  ResultRow ask(const char* sql, const Params& params, Deadline deadline);
  // Statements separated by semicolons, whose results nobody needs.
  void run(const std::string& sql, Deadline deadline);
  // Nothing the server sent meanwhile says otherwise. Takes what notifications there are.
  bool usable();

  // Waits for notifications on channels that are listened to; false: the deadline passed.
  bool wait(Deadline deadline);
  std::vector<std::string> take_notifications();

  const std::string& place() const { return place_; }

 private:
  using Result = std::shared_ptr<pg_result>;
  void connect(const std::string& conninfo, const ServerHost& host, Deadline deadline);
  void shake_hands(Deadline deadline);
  void prepare(const char* sql, Deadline deadline);
  // Sends what waits to be sent and reads until the server is ready. Failures before are of `stage`.
  Result finish(PostgresStage stage, Deadline deadline);
  // Waits until the socket is readable, or writable too; false: the deadline passed, or there is no socket.
  bool poll(bool writable, Deadline deadline);
  std::string error() const;

  std::shared_ptr<pg_conn> connection_;
  // A commit did not wait for its synchronous standby: somebody has cancelled that. (A place that does not move.)
  std::shared_ptr<bool> wait_cancelled_ = std::make_shared<bool>(false);
  Discretion discretion_;
  std::string place_;
  bool prepared_;
  std::stop_token over_;
  std::map<const char*, std::string> statements_;  // by address: they are literals
};

}  // namespace tenure::postgres
