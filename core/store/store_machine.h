// A store machine: what a store means, as a pure state machine.
//
// A store server, simulated or real, runs one or more machines. Each answers its own family of requests. apply() is a
// function of the machine's state, the request and store_now alone. store_now is read once, after the server has locked
// the row: it is the commit's own time. It may go back between two calls, as stores' clocks can.
//
// How a store is added: docs/how-to-add.md.
//
// Thread rule: one machine belongs to one thread.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "core/base/compiled_once.h"
#include "core/base/hash.h"
#include "core/base/time.h"
#include "core/store/message.h"
#include "core/store/reference/requests.h"
#include "core/store/row_lock.h"

namespace tenure {

// A request to any of the machines, and a reply of any of them.
using Request = CompiledOnce<std::variant<reference::Request, OpenMessage>>;
using Reply = CompiledOnce<std::variant<reference::Reply, OpenMessage>>;

// A hint that something changed; may be lost, delayed or repeated. The poll is the truth.
struct Notification {
  enum class What : std::uint8_t {
    lease_freed,
    schedules_changed,
    events_added,  // by a client, who asked for a run or for dead events again; a leader knows what it commits
  };
  What what = What::lease_freed;
  ResourceId resource;
  bool operator==(const Notification&) const = default;
};

class SessionStore;

class StoreMachine {
 public:
  virtual ~StoreMachine() = default;

  // True if this machine answers `request`.
  virtual bool handles(const Request& request) const = 0;
  // REQUIRES: handles(request). Appends what subscribers should hear to `notifications`.
  virtual Reply apply(const Request& request, StoreTime store_now,
                      std::vector<Notification>& notifications) = 0;
  // The lock that `request` takes on its resource's lease row while it is executed. A function of the request alone.
  // REQUIRES: handles(request).
  virtual RowLock lease_lock(const Request& request) const = 0;
  // The server was promoted. From now on it writes on `branch`, which is larger than any before.
  virtual void promote(std::uint32_t branch) = 0;
  // The server died. It comes up again with what it keeps over a crash.
  virtual void crash() {}
  virtual std::unique_ptr<StoreMachine> clone() const = 0;
  // The same store, if its requests wait for one another (session_store.h); null: each is applied at one instant. One
  // with sessions has no clones, and so no replica that it could fail over to.
  virtual SessionStore* sessions() { return nullptr; }
  // Hashes all state that can change a later reply. What ends after a while is hashed as its distance from `now`, so
  // that two machines that differ only in when everything happened have the same hash. What stands in a calendar
  // (slots, segments, edits) is hashed as it is, and so are epochs and versions: they are compared by order.
  virtual void hash(Hasher& hasher, StoreTime now) const = 0;
};

}  // namespace tenure
