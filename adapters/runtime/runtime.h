// The production loop: drives nodes with the machine's clocks and real stores. It uses the same driver (core/driver) as
// the simulator.
//
// One thread, the loop, owns the nodes and steps them. Each part of a node has its own connection to the store, with
// its own thread, so that fires never hold up a renewal. The contract of core/model/env.h is kept like this:
//
//   1. Clocks are read once a step.
//   2. Effects leave after the step, in order.
//   3. Every submit is answered exactly once: with what the store said, or, when its deadline comes first, `unknown`;
//      an answer after that is dropped. `sent_at` is the clock of the step that submitted.
//   4. A timer never fires early. The loop sleeps on CLOCK_BOOTTIME, so that it wakes when a suspended machine does.
//
// A node's life ends when it says Stopped, after stop(), or with the runtime. In the last case nothing is released, as
// in a crash: others get the lease when it expires. Its journal ends with its life, unless it has_clients: what these
// change may go on until the runtime ends.
//
// Messages between nodes are dropped: fenced-lease sends none.
//
// Thread rule: add(), listen(), stop(), wait(), tell() and a WorkHandler's `done` may be called from any thread.
// Handlers, observers and the journal's sink are called on the loop's thread, and must not block.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "adapters/runtime/journal.h"
#include "adapters/runtime/store_health_reporter.h"
#include "adapters/runtime/store_worker.h"
#include "adapters/store/listener.h"
#include "core/model/node.h"

namespace tenure {

// How work has ended. If it went to a destination that failed, that may ask for a time until it is tried again; and
// there are words for people (WorkDone).
struct WorkOutcome {
  // Implicit: mostly the result is all there is to say.
  WorkOutcome(WorkResult how) : result(how) {}  // NOLINT(google-explicit-constructor)
  WorkOutcome(WorkResult how, Duration asked, std::string words = {})
      : result(how), retry_after(asked), why(std::move(words)) {}
  WorkResult result;
  Duration retry_after;
  std::string why;
  bool unsent = false;
};

// Begins a fire's work. Call `done` once, from any thread, when the work has ended.
using WorkDoneCallback = std::function<void(WorkOutcome outcome)>;
using WorkHandler = std::function<void(const WorkItem& item, WorkDoneCallback done)>;

struct HostedNode {
  std::unique_ptr<Node> node;
  NodeId id;  // different from every other id on its store and in this runtime
  ResourceId resource =
      {};  // what it leads over; no other node in this runtime has it. Nodes hear of others' changes to it
  Connect connect;                           // opens a connection to its store; called once for each part
  WorkHandler work;                          // empty: all work counts as done at once
  std::function<void(const Note&)> observe;  // may be empty
  std::map<std::string, std::int64_t> settings = {};  // its settings, for its journal
  // False: it fires no schedules. If its resource has some all the same, that is said when it leads: whoever is to fire
  // them cannot.
  bool fires = true;
  // True: its journal is told what is changed on told() connections too, and ends with the runtime.
  // REQUIRES: no other node of the runtime has it.
  bool has_clients = false;
};

class RuntimeLoop;

// The default sink for troubles. adapters/runtime/store_health_reporter.h says what is reported, and when.
void say_on_stderr(std::string_view words);

class Runtime {
 public:
  explicit Runtime(JournalSink journal = {}, TroubleSink troubles = say_on_stderr,
                   ClockError clock_error = {});
  // Ends all lives at once, and waits for the requests under way: each until its deadline, or until a running `connect`
  // returns, if that takes longer. It does not wait for a listener.
  ~Runtime();
  Runtime(const Runtime&) = delete;

  const MachineClock& clock() const;

  // REQUIRES: no other node has its id or its resource, except nodes that were asked to stop. Returns the life that it
  // begins.
  Incarnation add(HostedNode node);
  // Tells all nodes what the listener hears, so that they need not wait for a lease that was given back elsewhere.
  // Without a listener they find that out by polling.
  void listen(std::unique_ptr<Listener> listener);
  // Asks every node, or this node, or this node in this life, to finish its work and to give up leadership.
  void stop();
  void stop(NodeId node);
  void stop(Incarnation life);
  // Waits until every node has stopped. False: `timeout` came first.
  bool wait(Duration timeout);
  // Writes it into the journal of the node that has_clients: soon, or when that has begun. If too much waits to be
  // written, it is lost, which is said.
  void tell(journal::ClientChange change);

 private:
  const MachineClock* clock_ = nullptr;  // the loop's
  std::shared_ptr<RuntimeLoop> loop_;
};

}  // namespace tenure
