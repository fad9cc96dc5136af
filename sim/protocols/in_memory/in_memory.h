// Every instance keeps the schedules in memory, and the leader at a tick fires what is due: hascheduler's design.
//
// README.md has the pseudo-code and its weak points. The model exists to show them: due slots are not written down, so
// a slot that no leader sees at its tick is lost; intervals count from when an instance first saw them; the watch
// cannot be resumed.
//
// Source: hascheduler (as described in the reference of designs), and every scheduler that keeps next_run in memory
// (river#791).
//
// Thread rule: one instance belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/store/reference/requests.h"
#include "sim/protocols/kind_parts.h"

namespace tenure {

class InMemory final : public CopyableScheduler<InMemory> {
 public:
  struct Settings {
    Duration tick_period;
    Duration request_timeout;
  };
  explicit InMemory(const SchedulerSetup& setup)
      : store_(setup.store),
        resource_(setup.resource),
        settings_{.tick_period = setup.parameters.duration("tick_period"),
                  .request_timeout = setup.parameters.duration("request_timeout")} {}

  void step(const Input& input, const Leadership& leadership, Env& env) override;
  bool idle() const override { return running_ == 0; }
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  // How much of the schedules the instance has read.
  enum class Phase : std::uint8_t {
    snapshot,  // reads all schedules
    opening,   // asks where the feed stands now; what changed since the snapshot is never seen
    watching,
  };
  struct Entry {
    Definition definition;
    StoreTime next = StoreTime::max();  // by the instance's wall clock
  };

  void tick(const Leadership& leadership, Env& env);
  void ask(Env& env);
  void on_reply(const StoreReplied& reply, Env& env);
  void take(const reference::Change& change, StoreTime now);
  void schedule_next(ScheduleId id, Entry& entry, StoreTime from);
  void forget(ScheduleId id);

  StoreId store_;
  ResourceId resource_;
  Settings settings_;

  bool started_ = false;
  bool stopping_ = false;
  Phase phase_ = Phase::snapshot;
  std::uint64_t seq_ = 0;  // the feed is read up to here
  std::optional<RequestId> asked_;
  std::map<ScheduleId, Entry> entries_;
  std::set<std::pair<StoreTime, ScheduleId>> by_next_;
  std::size_t running_ = 0;  // work under way
};

extern const SchedulerKind kInMemory;

}  // namespace tenure
