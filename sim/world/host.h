// One host: a machine with clocks, on which an instance lives, dies and is started again.
//
// A host steps its node, lets the step's effects leave one by one, holds everything still while it is paused, and
// drops what has not left when it is killed. It is also the node's driver: it answers every submit exactly once.
//
//   I1. Inputs reach the node only while it runs; those that arrive in a pause wait.
//   I2. Effects leave in the order of the steps that made them, each strictly later than the one before.
//   I3. Every submit that has left is answered once: by the reply, or as unknown at its deadline, or as its
//       session breaks.
//   I4. Nothing that belongs to a dead incarnation reaches a later one.
//   I5. After a pause, overdue alarms and waiting inputs come in drawn order, first-in-first-out within a channel.
//   I6. The process is up if and only if nobody holds it down; asked to stop, it is held down once it has finished.
//
// Thread rule: one host belongs to one run.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/node.h"
#include "sim/kernel/noise.h"
#include "sim/kernel/timeline.h"
#include "sim/models/node_clock.h"
#include "sim/models/quantiles.h"
#include "sim/world/history.h"

namespace tenure::sim {

// What leaves a host.
struct SendEffect {
  NodeId to;
  Message message;
};
struct SubmitEffect {
  RequestId id;
  MonoTime sent_at;
  Submission submission;
  std::uint32_t connection = 0;  // of its part, in order of opening; set as it leaves
};
struct WorkEffect {
  WorkItem item;
};
using Effect = std::variant<SendEffect, SubmitEffect, WorkEffect>;

// Where effects go when they have left, and who is told of lives and deaths.
class HostWorld {
 public:
  virtual ~HostWorld() = default;
  virtual std::unique_ptr<Node> make_node(NodeId node) = 0;
  virtual void effect_left(Incarnation who, Effect effect) = 0;
  virtual void host_changed(NodeId node) = 0;  // started, died, paused, resumed, or its clock changed
};

// Inputs of one channel keep their order.
enum class ChannelKind : std::uint8_t { message, reply, notification, work };
struct Channel {
  ChannelKind kind = ChannelKind::message;
  std::uint32_t from = 0;
  auto operator<=>(const Channel&) const = default;
};

class Host : public EventHandler {
 public:
  struct Setting {
    NodeId node;
    std::uint32_t cluster_size = 1;
    NodeClock clock;
    Quantiles departure;
    TrueTime first_start = {};  // when start() will be called; until then the process is held down
  };
  Host(Timeline& timeline, History& history, HostWorld& world, Noise noise, Setting setting);
  Host(const Host&) = delete;

  // ---- lives ----
  // A `cause` holds the process down, or still, until it lets go. `until` is when that will be at the latest, for
  // those who ask whether they would change anything.
  void start() { let_go(kFirstStart); }
  void kill(std::uint64_t cause, TrueTime until = TrueTime::max());
  // Asks the node to stop, and kills it if it has not by `grace` from now. `then` runs when this life is over.
  void stop(std::uint64_t cause, TrueTime until, Duration grace, std::function<void()> then);
  // When no cause is left the process starts: at once, or as soon as a stop that is under way is over.
  void let_go(std::uint64_t cause);
  void let_go_of_all();
  // It runs again when no cause is left. A new life starts unpaused.
  void pause(std::uint64_t cause, TrueTime until = TrueTime::max());
  void resume(std::uint64_t cause);
  // The machine is suspended: a pause in which the monotonic clock stands still too.
  void suspend(std::uint64_t cause, TrueTime until = TrueTime::max());
  void wake(std::uint64_t cause);
  // Starved of CPU: each input reaches the node, and each effect leaves it, late by up to `by`; zero ends it. Of
  // several causes each adds its own. It is the machine's: a new life is as starved as the one before.
  void starve(std::uint64_t cause, Duration by);

  bool alive() const { return node_ != nullptr; }
  bool paused() const { return !pauses_.empty(); }
  TrueTime down_until() const { return latest(downs_); }  // the least there is when nobody holds it
  TrueTime paused_until() const { return latest(pauses_); }
  TrueTime suspended_until() const { return latest(suspensions_); }
  Incarnation who() const { return who_; }  // the current life, or the last one

  // ---- clocks ----
  const NodeClock& clock() const { return clock_; }
  void step_wall(Duration by);
  // Each cause adds its own to the clocks' rate; 0 takes it away.
  void disturb_rate(std::uint64_t cause, std::int64_t extra_ppm);

  // ---- what it believes, by its own notes ----
  bool believes() const;  // right now, in true time
  std::optional<Token> believed_token() const { return belief_ ? belief_->token : std::nullopt; }
  TrueTime believing_since() const { return belief_since_; }

  // ---- its sessions with stores ----
  // They break: what is under way is answered as unknown, now, and what is asked from now on travels on new ones.
  void lose_sessions();
  bool awaits_store() const { return !pending_.empty(); }

  // An input arrives for one incarnation; dropped if that one is over (I4).
  void arrive(Incarnation who, Channel channel, Input input);

  void on_event(const Event& event) override;

 private:
  friend class HostEnv;
  enum Kind : std::uint8_t { kAlarm, kDeparture, kWaiting, kGrace };
  static constexpr std::uint64_t kFirstStart = 0;  // no fault has this id

  struct Hold {
    std::uint64_t cause = 0;
    TrueTime until;
  };
  static TrueTime latest(const std::vector<Hold>& holds);

  // A timer of the node, or the deadline of a submit.
  struct Alarm {
    std::uint64_t serial = 0;
    std::optional<TimerId> timer;  // none: a deadline
    RequestId request;
    MonoTime deadline;
    EventHandle event;
    bool overdue = false;  // it went off during a pause
    bool late = false;     // it went off, and a starved node hears of it later
  };
  struct Pending {
    RequestId id;
    StoreId store;
    Part part = Part::elector;
    MonoTime sent_at;
  };
  struct Leaving {
    Effect effect;
    TrueTime not_before;  // a starved node is late with it
  };
  struct WaitingInput {
    std::uint64_t serial = 0;
    Channel channel;
    Input input;
  };

  void live();
  void die(Death how);
  void step(const Input& input);
  void will_leave(Effect effect);
  void stop_suspension();
  // How late a starved node is this time; zero when it is not.
  Duration lateness();
  StoreReplied unknown_answer(const Pending& pending) const;
  void set_alarm(Alarm alarm);
  void schedule_alarm(Alarm& alarm);
  void alarm_rang(std::uint64_t serial);
  void reschedule_alarms();
  void schedule_departure();
  void depart();
  void take_waiting(std::uint64_t serial);
  void deliver(Input input);
  Duration resume_draw(std::uint64_t ordinal) const;

  Timeline& timeline_;
  History& history_;
  HostWorld& world_;
  Noise noise_;
  NodeId id_;
  std::uint32_t cluster_size_;
  NodeClock clock_;
  Quantiles departure_;
  std::uint16_t handler_;

  Incarnation who_;
  std::unique_ptr<Node> node_;
  std::vector<Hold> downs_;
  std::vector<Hold> pauses_;
  std::vector<Hold> suspensions_;                              // each of them a pause as well
  std::vector<std::pair<std::uint64_t, std::int64_t>> rates_;  // by cause
  std::vector<std::pair<std::uint64_t, Duration>> starved_;    // by cause
  std::int64_t late_second_ = -1;
  std::uint64_t lates_ = 0;  // in that second
  std::function<void()> on_death_;
  bool finished_ = false;  // the node said Stopped; it dies when its effects have left

  std::vector<Alarm> alarms_;
  std::vector<Pending> pending_;
  std::deque<Leaving> effects_;
  bool departing_ = false;
  std::deque<WaitingInput> waiting_;
  std::uint64_t serial_ = 0;
  std::uint32_t requests_ = 0;
  std::array<std::uint32_t, 2> connections_{};  // by part: a new one after each answer that did not come
  std::int64_t departure_second_ = -1;
  std::uint64_t departures_ = 0;                                // in that second
  std::vector<std::pair<std::uint64_t, std::uint64_t>> draws_;  // by purpose

  std::optional<Believes> belief_;
  TrueTime belief_since_;
};

}  // namespace tenure::sim
