// Tracks to whom each store gave the lease last, by its own answers. One store's lease is what HolderTracker says; of
// Redis, it is the key that was set where there was none (SET … NX), in each server by itself.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/world/holder_tracker.h"
#include "sim/world/record.h"

namespace tenure::sim {

class LeaseTracker {
 public:
  struct Change {
    StoreId store;
    Incarnation holder;  // number 0: nobody
  };
  // nullopt: nothing has changed.
  std::optional<Change> see(const Record& record);

 private:
  struct Server {
    std::string key;
    Incarnation holder;
  };
  std::optional<Change> see_redis(const Applied& applied);
  std::optional<Change> set(StoreId store, Server server);

  HolderTracker of_one_;
  Incarnation holds_;
  std::map<StoreId, Server> redis_;
  std::map<StoreId, Server> replicas_;  // of Redis, where they stand still
};

}  // namespace tenure::sim
