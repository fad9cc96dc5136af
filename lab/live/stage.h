// What a live run acts on: the processes, their way to the store, and the store. cli/live has the real one.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/time.h"

namespace tenure::lab {

enum class ProcessSignal : std::uint8_t { kill, stop, freeze, thaw };

// One direction of a way between an instance and the store. The default is sound.
struct WayRule {
  bool hangs = false;         // nothing comes through; what was sent comes later
  bool swallows = false;      // what is sent is lost
  Duration delay = {};        // of each message
  std::int64_t lost_ppm = 0;  // of messages, each with its connection
  bool operator==(const WayRule&) const = default;
};
struct WayRules {
  bool refused = false;  // nobody gets a connection, and nobody keeps one
  WayRule to_store;
  WayRule from_store;
  bool operator==(const WayRules&) const = default;
};

class Stage {
 public:
  Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  virtual ~Stage() = default;

  virtual void start(NodeId node) = 0;
  virtual bool runs(NodeId node) const = 0;
  virtual void signal(NodeId node, ProcessSignal what) = 0;
  // From its next start on, `node` runs with this place's settings of [election] (FaultSetting::with_election).
  virtual void set_election(NodeId node, std::uint64_t fault) = 0;
  // Steps its wall clock, and its monotonic clock.
  virtual void step_clock(NodeId node, Duration wall, Duration mono) = 0;

  virtual void set_links(NodeId node, const WayRules& rules) = 0;
  virtual void break_connections(NodeId node) = 0;
  // A session of another takes the lease's row, or lets it go.
  virtual void hold_lease_row(bool held, bool exclusive) = 0;
  // From now on the store's replica hears of nothing new.
  virtual void stall_replica() = 0;
  // The replica takes over, and the old server is fenced off.
  virtual void fail_over() = 0;
};

}  // namespace tenure::lab
