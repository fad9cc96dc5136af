// The store of a live run, made for it, and what faults can do to it and to the ways there. Nothing that was there
// before is touched: a file of SQLite must not be there, and on a server of the user's a database is made and dropped.
//
// Thread rule: main thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "lab/live/stage.h"

namespace tenure::cli {

class LiveStore {
 public:
  LiveStore() = default;
  LiveStore(const LiveStore&) = delete;
  LiveStore& operator=(const LiveStore&) = delete;
  virtual ~LiveStore() = default;

  // As store_place.h. nullopt: the run's own client, whose way nothing breaks.
  virtual std::string place_for(std::optional<NodeId> node) const = 0;
  virtual void set_links(NodeId, const lab::WayRules&) {}
  virtual void break_connections(NodeId) {}
  // A session of nobody's takes the lease's row, or all of the store. Empty: it has it; else why not.
  virtual std::string hold_lease_row(bool exclusive) = 0;
  virtual void let_lease_row_go() = 0;
  virtual void stall_replica() {}
  virtual void fail_over() {}
};

// Of "127.0.0.1:6379", a server of any kind on this machine, for commands that know what it is.
std::optional<std::uint16_t> foreign_port(std::string_view store);

struct LiveStoreOptions {
  std::string
      store;  // as the command line has it: sqlite, sqlite:FILE, postgres, a connection string, a port here
  std::string folder;     // of the run
  std::uint64_t run = 1;  // the second one has another file
  std::uint32_t instances = 0;
  bool replica = false;    // it is to fail over
  std::uint64_t seed = 0;  // of what its network draws
};
// Null: it cannot be made, and `problem` says why. May throw HostFailure.
std::unique_ptr<LiveStore> make_live_store(const LiveStoreOptions& options, std::string& problem);

}  // namespace tenure::cli
