// What this machine and this server do at the least. A store cannot be quicker than these.
#pragma once

#include "bench/postgres/latencies.h"
#include "bench/postgres/owner_connection.h"
#include "core/store/reference/requests.h"

namespace tenure {

// On tables of two columns: a round trip, a commit of one row, and a fire by a statement that knows nothing of leases,
// clocks and conflicts.
class Least {
 public:
  Least();
  void round_trip(Latencies& times) { time(times, "round trip"); }
  void commit(Latencies& times) { time(times, "commit"); }
  void fire(Latencies& times) { time(times, "fire"); }

 private:
  void time(Latencies& times, const char* statement);

  OwnerConnection server_;
};

// On the store's own tables: one statement that writes the rows of a fire. It locks the lease's row and looks at the
// holder, the token and the end; it moves the cursor, numbers the event and the change, and writes the event and its
// row of the history. The account owns the tables and names them itself. What the store adds is a function with its own
// rights, the bound of the wait for a lock, the timeline, the time that was read after the locks, and an answer that
// says all of that.
class BareFire {
 public:
  BareFire(ResourceId resource, Incarnation holder, const Token& token);
  // REQUIRES: nobody else has fired it.
  void fire(const reference::LedgerRow& row, Latencies& times);

 private:
  OwnerConnection server_{"application_name='bare fires'"};
  std::vector<std::string> lease_;  // the first parameters
};

}  // namespace tenure
