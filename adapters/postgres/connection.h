// A connection to Postgres on which every call keeps its deadline.
//
// It uses libpq without its blocking calls: every wait is a poll() with the caller's deadline, so a dead peer is
// noticed in bounded time, whatever the kernel believes. (The exception is the look-up of a host's name: libpq asks the
// system's resolver, which has its own timeouts. `hostaddr` needs no look-up.)
//
// Each of several hosts gets its share of the deadline, and each of a host's addresses a share of that. So a silent
// host leaves time for the others; libpq alone would wait for it until the end. A name is looked up when its turn
// comes, so a dead name server does not delay the hosts before it.
//
// An answer counts only once the server says that it is ready for the next request. Anything before that was sent
// before the commit.
//
// Failures are thrown (Failure), and caught in PostgresStore and PostgresListener. After a failure of stage `lost` the
// connection cannot be used any more.
//
// Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "adapters/postgres/failure.h"
#include "adapters/postgres/hosts.h"
#include "adapters/postgres/params.h"
#include "adapters/postgres/redact_secrets.h"
#include "core/base/time.h"

struct pg_conn;

namespace tenure::postgres {

using Deadline = std::chrono::steady_clock::time_point;
Deadline deadline_after(Duration timeout);
std::chrono::milliseconds left_until(Deadline deadline);  // never negative

class PostgresConnection {
 public:
  // `conninfo` is a connection string of libpq, which may overrule the defaults here. `prepared`: statements are
  // prepared once; not possible behind a pool that hands out connections for one transaction. Once `over` is requested,
  // every wait soon ends as at its deadline.
  PostgresConnection(const std::string& conninfo, bool prepared, Deadline deadline, std::stop_token over = {},
                     const LookUp& look_up = addresses_of);

  // Runs one statement that gives one row, in its own transaction.
  ResultRow ask(const char* sql, const Params& params, Deadline deadline);
  // Runs statements separated by semicolons, and ignores their results.
  void run(const std::string& sql, Deadline deadline);
  // Whether the connection still works, by what the server has sent. Also reads waiting notifications.
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
  // Sends everything that waits, and reads until the server is ready. Failures before that are of `stage`.
  Result finish(PostgresStage stage, Deadline deadline);
  // Waits until the socket is readable, or writable too; false: the deadline passed, or there is no socket.
  bool poll(bool writable, Deadline deadline);
  std::string error() const;

  std::shared_ptr<pg_conn> connection_;
  // Somebody cancelled a commit's wait for its synchronous standby. (On the heap, because its address must not change.)
  std::shared_ptr<bool> wait_cancelled_ = std::make_shared<bool>(false);
  SecretRedactor redactor_;
  std::string place_;
  bool prepared_;
  std::stop_token over_;
  std::map<const char*, std::string> statements_;  // by address: they are literals
};

}  // namespace tenure::postgres
