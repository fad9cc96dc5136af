// A real reference store: the same requests and replies as the machine (core/store/reference), on a database.
//
// The machine is the specification. With the store times that a database echoes, in the order of its commits, every
// reply must be the machine's; tests/adapters/conformance tests each engine for that.
//
// Contract:
//   1. execute() answers once, at `timeout` or slightly later. It neither retries nor removes duplicates.
//   2. A request is one transaction: locks first, then the store's clock, once; no transaction is open between two
//      calls, and none waits for a client.
//   3. After `lost` or `unknown` the next call works on a sound connection, or is rejected as unreachable.
//   4. The caller's part is CHECKed, as in the machine.
//   5. A new connection to a store with another identity is refused, as other_store.
//
// Thread rule: one connection; one call at a time, from any thread. Several connections to one database may be used at
// once, from several threads and processes.
#pragma once

#include <optional>
#include <string>

#include "adapters/store/answer.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/store/reference/lease.h"
#include "core/store/reference/requests.h"
#include "core/store/reference/row_tables.h"

namespace tenure {

// What is stored for a resource at one moment and no request can read: for people, and for tests.
struct StoreAudit {
  reference::Lease lease;
  reference::Ledger ledger;
  std::uint64_t position = 0;  // as in Answer
};

class StoreBackend {
 public:
  virtual ~StoreBackend() = default;

  virtual Answer execute(const reference::Request& request, Duration timeout) = 0;
  // Where it is, for messages: a file, or a host, port and database. Nothing secret. From any thread that calls
  // execute().
  virtual std::string place() const { return "the store"; }
  // Which store it is: 32 hexadecimal digits, drawn when its tables were made. A copy has the identity of its original.
  // Empty: the engine has none. From any thread that calls execute().
  virtual std::string identity() const { return {}; }
  // nullopt when it cannot be read.
  virtual std::optional<StoreAudit> audit(ResourceId resource) = 0;
};

}  // namespace tenure
