// The fault engine: it strikes when the plan says so, ends faults that last, and heals everything when the fault phase
// is over.
//
// Thread rule: one engine belongs to one run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/faults/fault_run.h"
#include "sim/faults/registry.h"
#include "sim/world/holder_tracker.h"
#include "sim/world/world.h"

namespace tenure::sim {

class FaultEngine final : public Observer {
 public:
  // `plan` is literal (plan.h). Both must outlive the engine; add the engine to the world's observers.
  FaultEngine(World& world, const std::vector<FaultSetting>& plan);

  // Puts the timed faults on the timeline. Call once, after World::begin.
  void begin();
  // Restores connectivity, rates and processes. Offsets stay, because to take a step back would be a second fault.
  void heal();

  std::uint32_t wants() const override {
    return record_mask<Noted, Applied, WorkAsked, WriteAsked, WorkArrived, StoreReplicaStalled,
                       StoreFailedOver>();
  }
  void see(TrueTime now, const Record& record) override;
  // The strikes so far of faults that strike at every event: literal, as if they were in the plan.
  const std::deque<FaultSetting>& drawn() const { return drawn_; }
  // In the order in which they struck or were skipped. Faults of the plan whose time never came are last, as skipped.
  std::vector<FaultRun> runs() const;

 private:
  struct Watch {
    const FaultSetting* fault = nullptr;
    std::int64_t seen = 0;
  };
  // `setting`: the id of the plan's fault to which the strike belongs.
  void strike(const FaultSetting& fault, std::uint64_t setting);
  // As it is before it strikes.
  FaultRun& add_run(const FaultSetting& fault, std::uint64_t setting);
  void skip(const FaultSetting& fault, std::uint64_t setting, const char* why);
  void end(std::uint64_t id);
  // Why this fault of the plan has not struck, for people. REQUIRES: its time never came.
  std::string why_not_yet(const FaultSetting& fault) const;
  void note_cut(const FaultInjection& strike, Duration after, Duration of);
  void note_if_it_fell_short(const FaultInjection& strike, const FaultKind& kind);
  void count(std::string_view event);
  // The nodes that the target stands for now; may be empty.
  std::vector<NodeId> resolve(const FaultSetting& fault, const FaultKind& kind) const;
  // The stores: all, or those that are drawn for a target of a fault on stores.
  std::vector<StoreId> stores_of(const FaultSetting& fault, const FaultKind& kind) const;
  std::vector<NodeId> leader() const;
  std::vector<NodeId> believer() const;

  World& world_;
  const std::vector<FaultSetting>& plan_;
  HolderTracker holder_;
  bool checks_are_noted_ = false;  // some node has said that it made sure that it leads
  std::vector<Watch> watches_;
  std::deque<FaultSetting> drawn_;  // a deque, because strikes refer to its elements
  std::vector<FaultInjection> active_;
  std::vector<FaultRun> runs_;
  std::set<std::uint64_t> seen_;  // ids of the plan's faults among them
  // By a strike's id: why it did not do what it says, for people. Nothing passed by, or the heal cut it short.
  std::map<std::uint64_t, std::string> fell_short_;
  std::set<std::uint64_t> met_nothing_;
  bool healed_ = false;
};

}  // namespace tenure::sim
