// The records of a run: checkers, metrics, stories and traces read them as they happen, in true time.
//
// They contain everything that a checker may know, and nothing about a node's insides. A record holds references to
// data that live only during the call; an observer copies what it keeps.
//
// Records are the same events that the production runtime's journal writes, so that a checker can judge both.
//
// Thread rule: one run belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "core/model/env.h"
#include "core/model/input.h"
#include "sim/kernel/true_time.h"
#include "sim/world/fault_cause.h"

namespace tenure::sim {

struct LinkState;   // sim/models/links.h
struct StoreKnobs;  // sim/world/store_knobs.h

struct NodeStarted {
  Incarnation who;
};
// stopped: it was asked to stop and had finished; exited: it had lost its leadership.
enum class Death : std::uint8_t { killed, stopped, exited };
std::string_view name_of(Death how);
struct NodeDied {
  Incarnation who;
  Death how = Death::killed;
  std::uint64_t lost = 0;  // writes to its disk that were not synced
};
struct NodePaused {
  Incarnation who;
};
struct NodeResumed {
  Incarnation who;
};
// The node has heard that it is to stop; a life hears it once.
struct StopHeard {
  Incarnation who;
};
// The mapping between a node's clocks and true time has changed; mapped times must be mapped again.
struct ClockChanged {
  NodeId node;
};

struct Noted {
  Incarnation who;
  const Note& note;
};
// A step decided to submit; the effect leaves later, or never.
struct Submitted {
  Incarnation who;
  RequestId id;
  const Submission& submission;
};
// A step decided to do a fire's work; the effect leaves later, or never.
struct WorkAsked {
  Incarnation who;
  const WorkItem& item;
};

// A store executed a request at this moment. Clients that edit schedules are incarnations of kClientNode, and workers
// those of the nodes from kFirstWorkerNode on.
struct Applied {
  StoreId store;
  std::uint32_t branch = 0;
  StoreTime store_now;
  Incarnation who;
  RequestId id;
  const Request& request;
  const Reply& reply;
};
inline constexpr NodeId kClientNode{0xffffffff};
inline constexpr NodeId kFirstWorkerNode{0xf0000000};
inline bool is_instance(NodeId node) { return node < kFirstWorkerNode; }
inline bool is_worker(NodeId node) { return !is_instance(node) && node != kClientNode; }

struct StoreClockStepped {
  StoreId store;
  Duration by;
};

// From now on the store's replica stands still: it has what the store has applied so far, until the store fails over to
// it.
struct StoreReplicaStalled {
  StoreId store;
};
// The replica is the store from now on: what was applied since it stood still is lost. A follower of a store's history
// goes back to its state at that time; what was done outside the store stays done.
struct StoreFailedOver {
  StoreId store;
  std::uint32_t branch = 0;  // the branch of what is applied from now on
};

// A fire's work reached the outside world.
enum class DeliveryOutcome : std::uint8_t { begun, fenced, running, duplicate };  // as in WorkResult
std::string_view name_of(DeliveryOutcome landing);
struct WorkArrived {
  Incarnation who;
  const WorkItem& item;
  DeliveryOutcome landing = DeliveryOutcome::begun;
  StoreTime store_now;  // the clock of the scheduler's store at this moment, for earliness and lateness
};
// Work that had begun is over: done, stopped by lost leadership, dead with its node, or failed.
enum class Ending : std::uint8_t { done, stopped, died, failed };
std::string_view name_of(Ending ending);
struct WorkEnded {
  Incarnation who;
  const WorkItem& item;
  Ending ending = Ending::done;
};

// A step decided to send an event to a destination; the effect leaves later, or never.
struct DeliveryAsked {
  Incarnation who;
  const WorkItem& item;
};
// It came to its destination.
struct DeliveryArrived {
  Incarnation who;
  const WorkItem& item;
  std::optional<DeliveryOutcome> landing;  // nullopt: the destination is down, or takes no more
  StoreTime store_now;
  Duration retry_after = {};  // of a refusal: the sender will hear of this wish; zero: of none
};
// What the destination had begun is over, whether its sender hears of it or not.
struct DeliveryEnded {
  Incarnation who;
  const WorkItem& item;
  Ending ending = Ending::done;  // or failed
  Duration retry_after = {};     // of a failure, likewise
  bool answers = true;           // its answer is not lost, and its sender still waits for it
};

// A worker outside of the cluster begins with an event that it has claimed, or is over with it: done, failed, dead with
// its process, or stopped, because the store said so or its process is to stop.
struct WorkerExecution {
  Incarnation who;
  reference::ExecutionToken token;
  std::optional<Ending> ending;  // nullopt: it begins
};

// A step decided to write to the outside world; the effect leaves later, or never.
struct WriteAsked {
  Incarnation who;
  WriteItem item;
};
// A write reached the outside world.
struct WriteLanded {
  Incarnation who;
  WriteItem item;
  bool fenced = false;  // refused
};

// The way of a request, for those who draw it: it left its process, came to its store, its reply came to the process'
// machine, and the node heard the answer. The timeline hashes each of these as an event, so the records are not hashed.
struct RequestLeft {
  RequestId id;
};
struct RequestArrived {
  RequestId id;
};
struct ReplyArrived {
  RequestId id;
};
struct RequestAnswered {
  RequestId id;
  RequestOutcome outcome = RequestOutcome::unknown;
  Rejection rejection = Rejection::none;
};

// What faults make of a store and of a link, in one direction, from now on. It follows from the faults that last, which
// are hashed, so these records are not.
struct StoreDegraded {
  StoreId store;
  const StoreKnobs& knobs;
  bool partial = false;  // a part of its service fails
};
struct LinkChanged {
  std::optional<NodeId> from;  // nullopt: the store
  std::optional<NodeId> to;
  const LinkState& state;
  StoreId store = {};  // which, where one end is a store
};

// The program on a node cannot read a schedule's definition, or can again.
struct DefinitionRead {
  NodeId node;
  ScheduleId schedule;
  bool readable = true;
};

// A fault as it was run.
struct FaultBegan {
  std::uint64_t id = 0;
  std::string_view action;
  std::string_view what;               // for people: "pause n1 for 16.2s"
  std::string_view target = {};        // as resolved: "n1", "n1 n3", "store", "stores 0 3"
  std::span<const NodeId> nodes = {};  // likewise; none: the store
  Duration duration = {};              // zero: over at once; max(): until the heal
  // For a fault that strikes at each event: the plan's fault, and which strike this is, from 1. Otherwise 0.
  std::uint64_t setting = 0;
  std::uint64_t strike = 0;
  Harm harm = {FaultCause::other, Manner::hinders};  // of this strike, by its target and parameters
  Duration lingers = {};  // so long after its end it still has effects, through what it had delayed
};
struct FaultEnded {
  std::uint64_t id = 0;
  std::string_view action;
};
struct FaultSkipped {
  std::uint64_t id = 0;
  std::string_view why;  // its target matched nobody, or is down already, …
  std::uint64_t setting = 0;
  std::uint64_t strike = 0;
};
// The fault phase is over: everything has been healed, and the tail begins.
struct Healed {};

using Record =
    std::variant<NodeStarted, NodeDied, NodePaused, NodeResumed, ClockChanged, Noted, Submitted, WorkAsked,
                 Applied, StoreClockStepped, WorkArrived, WorkEnded, FaultBegan, FaultEnded, FaultSkipped,
                 Healed, StoreReplicaStalled, StoreFailedOver, DefinitionRead, WriteAsked, WriteLanded,
                 StopHeard, RequestLeft, RequestArrived, ReplyArrived, RequestAnswered, StoreDegraded,
                 LinkChanged, DeliveryAsked, DeliveryArrived, DeliveryEnded, WorkerExecution>;
static_assert(std::variant_size_v<Record> <= 32, "a mask has a bit for each kind");

// A mask for wants(): record_mask<Noted, Applied>().
template <class Kind, class... Kinds>
constexpr std::uint32_t record_bit(const std::variant<Kinds...>*) {
  std::uint32_t bit = 1;
  static_cast<void>(((std::is_same_v<Kind, Kinds> ? true : (bit <<= 1, false)) || ...));
  return bit;
}
template <class... Kinds>
constexpr std::uint32_t record_mask() {
  constexpr const Record* kRecord = nullptr;
  return (record_bit<Kinds>(kRecord) | ...);
}

// Records that only those ask for that draw a run, and that are not hashed: they follow from what is.
inline constexpr std::uint32_t kForPictures =
    record_mask<RequestLeft, RequestArrived, ReplyArrived, RequestAnswered, StoreDegraded, LinkChanged>();

// What an observer may ask the world, besides the records.
class View {
 public:
  virtual ~View() = default;
  // The least true time at which the node's clock reaches `until`, if its clocks go on as now; max() for Open.
  virtual TrueTime true_time_of(NodeId node, const Until& until) const = 0;
  virtual StoreTime store_now(StoreId store) const = 0;
  virtual MonoTime mono_now(NodeId node) const = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // The kinds of record for which to call see(): bit i is the i-th alternative of Record.
  virtual std::uint32_t wants() const { return ~kForPictures; }
  virtual void see(TrueTime now, const Record& record) = 0;
};

// Names of journal events that a fault can wait for with `on = "…"`: leads (a node begins to believe), steps-down,
// leadership-checked (or, where no node ever notes that, it asks for work or a write), acts (it asks for work or a
// write, which has not left yet), alarm, granted (a store grants the lease to a new holder), committed (a store covers
// a fire), executed (work begins), changed (a client's edit is applied).
inline constexpr std::string_view kEventNames[] = {"leads",    "steps-down", "leadership-checked",
                                                   "alarm",    "granted",    "committed",
                                                   "executed", "changed",    "acts"};

}  // namespace tenure::sim
