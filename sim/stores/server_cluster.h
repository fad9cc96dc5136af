// The servers that are one store by a majority, while they cannot reach each other.
//
// Some clients then reach a minority of the servers, and the others the majority. If the servers' leader is with the
// minority, the majority elects another one after a while; and the old one, which takes itself for the leader until it
// notices, goes on answering what it needs no majority for.
//
//   I1. What a client of the minority asks for changes nothing that the majority has.
//   I2. The calls come in this order: part; then elect and depose, in any order, or neither; then rejoin.
//
// Thread rule: as StoreMachine.
#pragma once

#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/store/store_machine.h"

namespace tenure {

struct ServerSplit {
  std::vector<NodeId> minority;  // clients that reach nobody else
  bool leader_is_in_minority = true;
  bool leader_confirms =
      false;  // it asks a majority whether it still leads, before it says what needs no majority
};

class ServerCluster {
 public:
  virtual ~ServerCluster() = default;
  // REQUIRES: the servers are not parted.
  virtual void part(const ServerSplit& split, StoreTime now) = 0;
  // The majority has a new leader. REQUIRES: the old one is in the minority.
  virtual void elect(StoreTime now) = 0;
  // The leader in the minority has noticed that it is none any more.
  virtual void depose(StoreTime now) = 0;
  // All reach each other again. `carries_out`: what the old leader had decided while it did not notice is done now.
  virtual void rejoin(bool carries_out, StoreTime now) = 0;
  // Whether nobody whom this client reaches can answer. Then the request is not executed, then or later.
  virtual bool loses(NodeId client, const Request& request, StoreTime now) const = 0;
};

}  // namespace tenure
