// The work executor: a fire's work arrives at the outside resource, runs in its process, and ends. A leader's write
// arrives there, and is answered.
//
// Running work checks every check_every whether its node still leads, by the node's own declared belief and under the
// token of the work. If the node does not, the work stops stop_latency later. Work is paused with its process, and dies
// with it.
//
// Thread rule: one executor belongs to one run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/kernel/keyed_rng.h"
#include "sim/kernel/timeline.h"
#include "sim/models/resource.h"
#include "sim/scenario/scenario.h"
#include "sim/world/destinations.h"
#include "sim/world/history.h"

namespace tenure::sim {

class WorkWorld {
 public:
  virtual ~WorkWorld() = default;
  virtual Duration resource_latency(NodeId node) = 0;
  virtual StoreTime fire_clock() const = 0;  // of the store that holds the schedules
  virtual bool still_leads(Incarnation who, const std::optional<Token>& token) const = 0;
  virtual bool alive(Incarnation who) const = 0;
  virtual bool paused(Incarnation who) const = 0;
  virtual void work_done(Incarnation who, const WorkDone& done) = 0;
  virtual void write_done(Incarnation who, const WriteDone& done) = 0;
};

class WorkExecutor : public EventHandler, public Observer {
 public:
  WorkExecutor(Timeline& timeline, History& history, WorkWorld& world, KeyedRng rng, WorkSetting setting,
               const std::vector<DestinationSetting>& destinations = {});
  WorkExecutor(const WorkExecutor&) = delete;

  // The effect has left its process.
  void execute(Incarnation who, const WorkItem& item);
  void write(Incarnation who, const WriteItem& item);
  // nullptr: the scenario has none.
  Destinations* destinations() { return destinations_.get(); }
  // Learns which events have left the outbox; while a replica stands still, they may come back.
  std::uint32_t wants() const override {
    return record_mask<Applied, StoreReplicaStalled, StoreFailedOver>();
  }
  void see(TrueTime now, const Record& record) override;

  void process_paused(Incarnation who);
  void process_resumed(Incarnation who);
  void process_died(Incarnation who);

  void on_event(const Event& event) override;

 private:
  enum Kind : std::uint8_t { kLand, kRun, kDone, kWriteLands, kWriteDone };
  struct Job {
    Incarnation who;
    WorkItem item;
    bool stopping = false;
    Duration left;           // of work, or of stopping
    TrueTime stretch_began;  // the current stretch of running: until the next check, or the end
    Duration stretch;
    EventHandle next;
    bool fails = false;  // at its end
    WorkResult result = WorkResult::done;
  };
  void land(std::uint32_t slot);
  void run_stretch(std::uint32_t slot);
  void stretch_over(std::uint32_t slot);
  void end(std::uint32_t slot, WorkResult result);
  void died(std::uint32_t slot);
  void answer(std::uint32_t slot, WorkResult result);
  void release(std::uint32_t slot);
  // On its way there, and its answer on the way back.
  struct Write {
    Incarnation who;
    WriteItem item;
    bool fenced = false;
  };
  void write_lands(std::uint64_t serial);
  void write_is_answered(std::uint64_t serial);

  Timeline& timeline_;
  History& history_;
  WorkWorld& world_;
  KeyedRng rng_;
  WorkSetting setting_;
  OutsideResource resource_;  // of the leader's own work
  std::unique_ptr<Destinations> destinations_;
  std::map<reference::EventId, std::uint32_t> failures_;  // of work that has not succeeded since
  std::uint16_t handler_;
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> running_;     // slots of work that takes time
  std::map<std::uint64_t, Write> writes_;  // by serial number
  std::uint64_t written_ = 0;
  bool may_lose_ = false;  // a replica stands still, so what is acknowledged now may come back
};

}  // namespace tenure::sim
