// A store machine whose requests can wait. There are two kinds of waiting:
// - for a lock: a request takes locks of its own, keeps them while its transaction is open, and another one that needs
//   them waits. A real database does it;
// - for something to happen: a watch, a blocking query. Such a store also does things by itself, when time has gone by.
//
//   I1. begin() gives the answer, or none: then the request waits, and its answer comes out of take_completed(), after
//       whichever call let it go on.
//   I2. Where requests wait for locks, one at a time is under way in a session. A transaction that a request leaves
//       open belongs to it.
//   I3. The calls' times never go back but by a step of the store's clock.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/store/store_machine.h"

namespace tenure {

class ServerCluster;

// A client's connection: a life, one of its parts, and which of that part's connections, in order of opening. A newer
// one of the same lane says that the client has closed those before.
struct StoreSession {
  Incarnation who;
  Part part = Part::elector;
  std::uint32_t connection = 0;
  std::uint8_t lane = 0;
  auto operator<=>(const StoreSession&) const = default;
};

class SessionStore {
 public:
  using Completed = std::vector<std::pair<std::uint64_t, Reply>>;  // by ticket, in the order of completion

  virtual ~SessionStore() = default;
  virtual std::optional<Reply> begin(const StoreSession& session, std::uint64_t ticket,
                                     const Request& request, StoreTime now) = 0;
  virtual Completed take_completed() = 0;
  // Whether requests wait for something to happen: then one that waits holds up nothing, neither its own session nor a
  // worker of the server.
  virtual bool waits_aside() const = 0;
  // The client's end of every session of this life is closed. What waits there goes on; an open transaction ends.
  virtual void client_is_gone(Incarnation who, StoreTime now) = 0;
  // When a time-out of a session goes off, or what else the store does by itself, if nothing happens before.
  virtual std::optional<StoreTime> next_time_out() const = 0;
  virtual void time_out(StoreTime now) = 0;
  // The server has died, or is there again: its sessions, and what waited there, are lost; what was committed stays.
  virtual void restart(StoreTime now) = 0;
  // One of the servers behind it missed what was delivered, and delivers it once more. Only a store that promises no
  // more than "at least once" does it (StoreKind::delivers_again).
  virtual bool can_deliver_again(StoreTime) const { return false; }
  virtual void deliver_again(StoreTime) {}
  // The servers behind it, if they are several that can be parted (server_cluster.h).
  virtual ServerCluster* cluster() { return nullptr; }
};

}  // namespace tenure
