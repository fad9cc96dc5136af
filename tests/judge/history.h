// A whole run, kept: every record with its time, in one list, with everything that it refers to copied.
//
// Nothing is forgotten and nothing is summed up, so that each question is answered by looking through the list from
// its beginning. What a record does not hold and the world knows at that moment is kept beside it: the store's clock,
// and when, in true time, a declared belief ends.
//
// Thread rule: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/world/record.h"

namespace tenure::judging {

// Records that refer to what lives only for the call, as values.
struct KeptClockChange {
  NodeId node;
  // Declarations of beliefs of this node, as places in the history, and when each ends by the clock as it runs now.
  std::map<std::size_t, sim::TrueTime> ends;
};
struct KeptNote {
  Incarnation who;
  Note note;
  sim::TrueTime end =
      sim::TrueTime::max();  // of a Believes: when its `until` comes, by the clock as it runs now
};
struct KeptSubmission {
  Incarnation who;
  RequestId id;
  Submission submission;
};
struct KeptWorkAsked {
  Incarnation who;
  WorkItem item;
};
struct KeptApplied {
  std::uint32_t branch = 0;
  StoreTime store_now;
  Incarnation who;
  RequestId id;
  Request request;
  Reply reply;
};
struct KeptArrival {
  Incarnation who;
  WorkItem item;
  sim::DeliveryOutcome landing = sim::DeliveryOutcome::begun;
  StoreTime store_now;
};
struct KeptEnding {
  Incarnation who;
  WorkItem item;
  sim::Ending ending = sim::Ending::done;
};

// Of an event that goes to a destination.
struct KeptDeliveryAsked {
  Incarnation who;
  WorkItem item;
  MonoTime mono;  // its sender's clock at that moment; so below
};
struct KeptDeliveryLanding {
  Incarnation who;
  WorkItem item;
  std::optional<sim::DeliveryOutcome> landing;  // nullopt: the destination is down, or takes no more
  StoreTime store_now;
  Duration retry_after;
  MonoTime mono;
};
struct KeptDeliveryEnding {
  Incarnation who;
  WorkItem item;
  sim::Ending ending = sim::Ending::done;
  Duration retry_after;
  MonoTime mono;
  bool answers = true;  // and its sender hears of it
};

using Fact = std::variant<sim::NodeStarted, sim::NodeDied, sim::NodePaused, sim::NodeResumed, KeptClockChange,
                          KeptNote, KeptSubmission, KeptWorkAsked, KeptApplied, sim::StoreClockStepped,
                          KeptArrival, KeptEnding, KeptDeliveryAsked, KeptDeliveryLanding, KeptDeliveryEnding,
                          sim::Healed, sim::StoreReplicaStalled, sim::StoreFailedOver, sim::DefinitionRead,
                          sim::WorkerExecution, sim::WriteAsked, sim::WriteLanded>;

struct Kept {
  sim::TrueTime at;
  StoreTime store_now;  // the store's clock at that moment
  Fact fact;
};

struct History {
  std::vector<Kept> facts;
  sim::TrueTime end;    // of the run
  StoreTime end_store;  // the store's clock then
};

// Writes a history down.
class Recorder final : public sim::Observer {
 public:
  explicit Recorder(const sim::View& view) : view_(view) {}
  void see(sim::TrueTime now, const sim::Record& record) override;
  History take(sim::TrueTime end);

 private:
  std::optional<Fact> copy(const sim::Record& record) const;

  const sim::View& view_;
  History history_;
  std::map<NodeId, std::vector<std::size_t>> declared_;  // beliefs, as places in the history
};

}  // namespace tenure::judging
