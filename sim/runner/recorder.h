// Records a whole run (recording.h).
//
// Thread rule: one recorder belongs to one run.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/checkers/checker.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/belief_tracker.h"
#include "sim/runner/lease_tracker.h"
#include "sim/runner/narrator.h"
#include "sim/runner/recording.h"
#include "sim/world/world.h"

namespace tenure::sim {

class Recorder final : public Observer {
 public:
  // `listener`: may be null.
  Recorder(const World& world, RecordingListener* listener);
  // Of records that no world has made: their nodes have no names, and nobody reads their clocks.
  Recorder(const Scenario& scenario, const View& view);
  std::uint32_t wants() const override { return ~std::uint32_t{0}; }
  void see(TrueTime now, const Record& record) override;
  // The run is over. Call add_violations and then take.
  void finish(TrueTime now);
  void add_violations(std::string_view checker, const Violations& violations, bool demanded);
  Recording take();

 private:
  void see_process(TrueTime now, const Record& record);
  void see_fault(TrueTime now, const Record& record);
  void see_work(TrueTime now, const Record& record);
  void follow_fire(TrueTime now, const WorkArrived& landed);
  void see_request(TrueTime now, const Record& record);
  void see_applied(TrueTime now, const Applied& applied);
  void read_clocks(TrueTime now, NodeId node);
  std::vector<RequestId> requests_of(const Violation& violation) const;
  void follow_beliefs();
  std::vector<BeliefSpan::Grant> grants_at(Incarnation who, TrueTime at) const;
  void tell_of_belief(TrueTime at, NodeId node, std::string text, bool begins);
  void follow_lease(TrueTime now, const Record& record);
  void see_words(TrueTime now, const Record& record);
  void see_startup(TrueTime now, Incarnation who);
  void close_pause(NodeId node, TrueTime now);
  // nullptr: it is no request of a node.
  RequestTrip* trip(RequestId id);

  const World* world_ = nullptr;
  const Scenario& scenario_;
  RecordingListener* listener_ = nullptr;
  Names names_;
  BeliefTracker beliefs_;
  LeaseTracker lease_;
  Narrator narrator_;
  Recording recording_;
  std::map<Incarnation, std::vector<std::size_t>> trips_;  // places in `requests`, by counter from 1
  struct CommittedFire {
    StoreTime due;
    TrueTime at;
  };
  std::map<std::pair<ScheduleId, StoreTime>, CommittedFire> committed_;  // whose work has not begun
  std::map<Incarnation, BeliefSpan::Grant> last_heard_;                  // of what the store has executed
  std::map<NodeId, Duration> mono_zeros_;  // of each node's monotonic clock, when it was read first
};

}  // namespace tenure::sim
