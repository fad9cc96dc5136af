// One driver for every node: it answers submits, keeps timers and deadlines, and ends lives.
//
// core/model/env.h and input.h promise a node how its world behaves. The driver keeps those promises, once, for the
// simulator (sim/world), for exploration (lab/explore) and for production (adapters/runtime). A driver has no clock, no
// file descriptor, no thread and no randomness: inputs and clock readings are handed in, effects are taken out. The
// host adds only the timing: when an effect leaves, when an alarm is noticed, when an input that has arrived is
// delivered.
//
//   I1. An input reaches the node only in the life that it is for. Started is a life's first input, and never comes
//       later.
//   I2. Effects leave in the order of the steps that asked for them, one at a time, and never within a step. An effect
//       that has not left when its life ends never leaves.
//   I3. A submit is answered once: by the reply; by `unknown` if its deadline comes first; or by `unknown` if its
//       session breaks. The deadline counts from the step that submitted, even if the request has not left by then; it
//       may still leave. Later answers are dropped. When a life ends, its open requests get no answer.
//   I4. An answer echoes what the driver knows of the request: the store, the part, and mono() of the submitting step.
//   I5. A request travels on the connection that is the newest of its part and lane when it leaves. When a request on
//       that connection gets no answer, a new connection follows. There is no order between what is still on the old
//       connection and what goes over the new one.
//   I6. A timer fires once, not before the clock has reached its latest deadline, and not if it was cancelled.
//       Timers, like requests, end with their life.
//   I7. A node that has said Stopped ends as soon as nothing waits to leave.
//
// A driver is a value. Copies share the node until one of them steps it; that copy then gets a node of its own. So
// exploration can keep thousands of copies, and a host that never copies a driver never clones a node.
//
// Thread rule: one driver, and all its copies, belong to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/driver/driver_host.h"
#include "core/driver/effect.h"
#include "core/model/node.h"

namespace tenure {

// What the clocks of a node's machine show during a step.
struct Readings {
  MonoTime mono;
  WallTime wall;
};

class Driver {
 public:
  // A request that has no answer yet.
  struct Pending {
    RequestId id;
    StoreId store;
    Part part = Part::elector;
    MonoTime sent_at;
    MonoTime deadline;
    std::optional<std::uint32_t> connection = {};  // none: it has not left
  };
  struct Timer {
    TimerId id;
    MonoTime deadline;
  };

  explicit Driver(NodeId node = {}, std::uint32_t cluster_size = 1)
      : cluster_size_(cluster_size), who_{node, 0} {}

  // ---- lives ---- Begins the next life. REQUIRES: !alive().
  void start(std::unique_ptr<Node> node, const Readings& now, DriverHost& host);
  // The same with a number that the host chooses, for hosts where nothing remembers the earlier lives. REQUIRES: number
  // > 0.
  void start(std::unique_ptr<Node> node, std::uint32_t number, const Readings& now, DriverHost& host);
  // Ends the life: a kill, a crash. The host itself forgets the alarms of this life.
  void terminate();
  bool alive() const { return node_ != nullptr; }
  Incarnation who() const { return who_; }  // the present life, or the last one
  bool stop_asked() const { return stop_asked_; }

  // ---- inputs; each may end the life (I7) ----
  bool hears(Incarnation who) const { return alive() && who == who_; }
  // False: the input was dropped, by I1 or I3. Not for Started and TimerFired.
  bool deliver(Incarnation to, Input&& input, const Readings& now, DriverHost& host);
  // The clock has reached a timer's deadline. False: it has not, or the timer no longer exists.
  bool fire(TimerId timer, const Readings& now, DriverHost& host);
  // The clock has reached a request's deadline. False: it has not, or the request is answered.
  bool give_up(RequestId id, const Readings& now, DriverHost& host);
  // All sessions with stores break. Returns the answers to what has left, `unknown`, to be delivered like any others.
  // What leaves from now on travels on new connections.
  std::vector<StoreReplied> lose_sessions();

  // ---- effects ----
  bool has_effects() const { return left_ < queue_.size(); }
  std::size_t effects() const { return queue_.size() - left_; }
  // Takes the first effect that waits; may end the life (I7). REQUIRES: has_effects().
  Effect leave();

  // ---- what the driver waits for ----
  const std::vector<Timer>& timers() const { return timers_; }  // by id
  const std::vector<Pending>& pending() const {
    return pending_;
  }  // in the order in which they were submitted
  const Pending* pending(RequestId id) const;
  std::optional<MonoTime> next_alarm() const;
  // Appends the alarms that are due: timers by id, then deadlines.
  void due(MonoTime now, std::vector<Alarm>& alarms) const;

  // ---- what the node has said ----
  const std::optional<Believes>& belief() const {
    return belief_;
  }  // the last belief, whether or not it has run out
  bool believes(const Readings& now) const;

  // Two drivers with the same hash behave alike from now on. So some differences do not count: how long ago something
  // became due; the end of a belief that has run out (only its token counts); which connection a request uses (only
  // whether two requests use the same one). `hash_request` hashes a request's contents.
  using HashRequest = void (*)(Hasher& hasher, const Canon& canon, const Request& request);
  void hash(Hasher& hasher, const Canon& canon, HashRequest hash_request) const;
  // Names a connection by the order of first use, for hosts that hash what travels on it.
  static std::uint64_t connection_name(const Canon& canon, std::uint32_t life, Part part,
                                       std::uint32_t connection);

 private:
  friend class DriverEnv;

  void step(const Input& input, const Readings& now, DriverHost& host);
  void end_if_finished();
  StoreReplied unknown_answer(const Pending& pending) const;
  void give_up_connection(const Pending& pending);

  std::uint32_t cluster_size_;
  Incarnation who_;
  std::shared_ptr<Node> node_;  // null: no life. Stepped only while no copy shares it
  bool stop_asked_ = false;
  bool stopped_ = false;  // the node has said so

  std::vector<Timer> timers_;
  std::vector<Pending> pending_;
  std::vector<Effect> queue_;  // effects before left_ have left
  std::size_t left_ = 0;
  std::uint32_t requests_ = 0;
  // Of a part: numbers in order of opening.
  struct Connections {
    std::array<std::optional<std::uint32_t>, kLanes> newest{0};  // by lane; none: it was not needed yet
    std::uint32_t opened = 0;                                    // the newest of all
  };
  std::array<Connections, 2> connections_{};  // by part
  std::optional<Believes> belief_;
};

}  // namespace tenure
