// The production loop: drives nodes with the machine's clocks and real stores, as the simulator drives them with its
// own: by one driver (core/driver).
//
// One thread, the loop, owns the nodes and steps them; each part of a node has a connection to the store with a
// thread of its own, so that fires never hold up a renewal. The driver's contract (core/model/env.h) is kept so:
//
//   1. Clocks are read once a step.
//   2. Effects leave after the step, in order.
//   3. Every submit is answered exactly once: with what the store said, or, when its deadline comes first, `unknown`;
//      an answer after that is dropped. `sent_at` is the clock of the step that submitted.
//   4. A timer never fires early. The loop sleeps on CLOCK_BOOTTIME, so that it wakes when a suspended machine does.
//
// A node's life ends when it says Stopped, after stop(), or with the runtime: then nothing is released, as in a
// crash, and whoever waits for the lease waits until it expires.
//
// Messages between nodes are dropped: fenced-lease sends none.
//
// Thread rule: add(), listen(), stop(), wait() and a WorkHandler's `done` may be called from any thread. Handlers,
// observers and the journal's sink are called on the loop's thread, and must not block.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "adapters/runtime/journal.h"
#include "adapters/runtime/store_worker.h"
#include "adapters/runtime/troubles.h"
#include "adapters/store/listener.h"
#include "core/model/node.h"

namespace tenure {

// Begins a fire's work. `done` is to be called once, from any thread, when it has ended.
using WorkDoneCallback = std::function<void(WorkResult result)>;
using WorkHandler = std::function<void(const WorkItem& item, WorkDoneCallback done)>;

struct HostedNode {
  std::unique_ptr<Node> node;
  NodeId id;  // unlike any other's on its store, and in this runtime
  ResourceId resource =
      {};  // what it is about, alone in this runtime: whoever listens is told of others' changes to it
  Connect connect;                           // opens a connection to its store; called once for each part
  WorkHandler work;                          // empty: whatever is to be done counts as done
  std::function<void(const Note&)> observe;  // may be empty
  std::map<std::string, std::int64_t> settings = {};  // what it was made with, for its journal
};

class RuntimeLoop;

// Where troubles are said when nobody says otherwise. What is said and when: adapters/runtime/troubles.h.
void say_on_stderr(std::string_view words);

class Runtime {
 public:
  explicit Runtime(JournalSink journal = {}, TroubleSink troubles = say_on_stderr,
                   ClockError clock_error = {});
  // Ends all lives at once, and waits for the requests under way: each until its deadline, and until `connect` returns
  // where that is under way and takes longer. A listener it does not wait for.
  ~Runtime();
  Runtime(const Runtime&) = delete;

  const MachineClock& clock() const;

  // REQUIRES: no other has its id, or is about its resource, but for those that were asked to stop.
  // Returns the life that it begins.
  Incarnation add(HostedNode node);
  // Tells all nodes what the listener hears, so that a lease that is given back elsewhere is not waited for. Without
  // one they find it by polling.
  void listen(std::unique_ptr<Listener> listener);
  // Asks every node, or that one, or that one in that life, to finish what runs and to give up leadership.
  void stop();
  void stop(NodeId node);
  void stop(Incarnation life);
  // Until every node has stopped. False: `timeout` came first.
  bool wait(Duration timeout);

 private:
  const MachineClock* clock_ = nullptr;  // the loop's
  std::shared_ptr<RuntimeLoop> loop_;
};

}  // namespace tenure
