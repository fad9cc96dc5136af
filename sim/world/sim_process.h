// One process, on a machine with its own clocks: it starts, ends, and starts again.
//
// The driver (core/driver) decides what follows from an input, answers submits, and ends lives. This class decides
// when: each effect leaves after its own drawn time, alarms go off by the machine's clocks, and everything waits while
// the process is paused, or is late while it is starved.
//
//   I1. Inputs reach the driver only while the process runs; those that arrive in a pause wait.
//   I2. Effects leave one by one, each strictly later than the one before.
//   I3. Each alarm of the driver has one event on the timeline, or is overdue: it went off during a pause.
//   I4. Waiting inputs and effects belong to one life, and are dropped when it ends.
//   I5. After a pause, overdue alarms and waiting inputs come in drawn order, first-in-first-out within a channel.
//   I6. The process is up if and only if no cause holds it down. After a stop was asked for, it is held down once it
//       has finished.
//   I7. After a life that ends by itself, the next one starts later. So if each life stops in its first step, simulated
//       time still passes.
//   I8. A program that exits when it has lost its leadership ends its life then, or as it wakes up. What has not left
//       by then does not.
//   I9. Each life but the first begins `startup` after nothing holds it down any more, unless it was brought up before.
//
// Thread rule: one process belongs to one run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/driver/driver.h"
#include "core/model/node.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/kernel/timeline.h"
#include "sim/models/node_clock.h"
#include "sim/models/quantiles.h"
#include "sim/scenario/scenario.h"
#include "sim/world/history.h"
#include "sim/world/restart_backoff.h"
#include "sim/world/sim_disk.h"

namespace tenure::sim {

// Takes the effects that have left, and is told of lives and deaths.
class ProcessWorld {
 public:
  virtual ~ProcessWorld() = default;
  virtual std::unique_ptr<Node> make_node(NodeId node) = 0;
  virtual void effect_left(Incarnation who, Effect effect) = 0;
  virtual void process_changed(NodeId node) = 0;  // started, died, paused, resumed, or its clock changed
  virtual void life_began(Incarnation who) { static_cast<void>(who); }
};

// A process that has ended starts again after at least this time: systemd's default RestartSec.
inline constexpr Duration kRestartDelay = Duration::millis(100);

// Inputs of one channel keep their order.
enum class ChannelKind : std::uint8_t { message, reply, notification, work };
struct Channel {
  ChannelKind kind = ChannelKind::message;
  std::uint32_t from = 0;
  auto operator<=>(const Channel&) const = default;
};

class SimProcess : public EventHandler {
 public:
  struct Setting {
    NodeId node;
    std::uint32_t cluster_size = 1;
    NodeClock clock;
    Quantiles departure;
    TrueTime first_start = {};  // when start() will be called; until then the process is held down
    ProgramSetting program = {};
  };
  SimProcess(Timeline& timeline, History& history, ProcessWorld& world, KeyedRng rng, Setting setting);
  SimProcess(const SimProcess&) = delete;

  // ---- lives ---- A `cause` holds the process down, or paused, until it releases it. `until` is the latest time of
  // that, for faults that check whether they would change anything.
  void start() { release(kFirstStart); }
  void kill(std::uint64_t cause, TrueTime until = TrueTime::max());
  // Asks the node to stop, and kills it if it has not stopped after `grace`. `then` runs when this life is over.
  void stop(std::uint64_t cause, TrueTime until, Duration grace, std::function<void()> then);
  // When no cause is left the process starts up: at once, or as soon as a stop that is under way is over.
  void release(std::uint64_t cause);
  // Likewise; but its next life has been brought up beside this one, and begins without its `startup`.
  void release_brought_up(std::uint64_t cause);
  void release_all();
  // It runs again when no cause is left. A new life starts unpaused.
  void pause(std::uint64_t cause, TrueTime until = TrueTime::max());
  void resume(std::uint64_t cause);
  // The machine is suspended: a pause in which the monotonic clock stands still too.
  void suspend(std::uint64_t cause, TrueTime until = TrueTime::max());
  void wake(std::uint64_t cause);
  // Starved of CPU: each input reaches the node, and each effect leaves it, late by up to `by`; zero ends it. Several
  // causes add up. It applies to the machine: a new life is starved like the one before.
  void starve(std::uint64_t cause, Duration by);

  bool alive() const { return driver_.alive(); }
  bool paused() const { return !pauses_.empty(); }
  TrueTime down_until() const { return latest(downs_); }  // the least value when nothing holds it down
  TrueTime paused_until() const { return latest(pauses_); }
  TrueTime suspended_until() const { return latest(suspensions_); }
  Incarnation who() const { return driver_.who(); }  // the current life, or the last one

  // ---- clocks ----
  const NodeClock& clock() const { return clock_; }
  void step_wall(Duration by);
  // In any life; or it believes that it leads until some time of that clock.
  bool has_read_wall_clock() const { return wall_clock_read_; }
  // Each cause adds its own to the clocks' rate; 0 removes it.
  void disturb_rate(std::uint64_t cause, std::int64_t extra_ppm);

  // ---- what it believes, by its own notes ----
  bool believes() const;  // right now, in true time
  std::optional<Token> believed_token() const {
    return driver_.belief() ? driver_.belief()->token : std::nullopt;
  }
  TrueTime believing_since() const { return belief_since_; }

  // ---- its sessions with stores ---- The sessions break: requests under way are answered as unknown now, and later
  // requests travel on new sessions.
  void lose_sessions();
  bool awaits_store() const;

  // An input arrives for one incarnation; dropped if that one is over (I4).
  void arrive(Incarnation who, Channel channel, Input&& input);

  void on_event(const Event& event) override;

 private:
  friend class SimEnv;
  enum Kind : std::uint8_t { kAlarm, kDeparture, kWaiting, kGrace, kStartAgain, kStartedUp, kBeliefEnds };
  // Causes that are not faults; no fault has these ids.
  static constexpr std::uint64_t kFirstStart = 0;
  static constexpr std::uint64_t kEnded = UINT64_MAX;
  static constexpr std::uint64_t kStartsUp = UINT64_MAX - 1;

  struct Hold {
    std::uint64_t cause = 0;
    TrueTime until;
  };
  static TrueTime latest(const std::vector<Hold>& holds);

  // An alarm of the driver, and its event on the timeline.
  struct Ringing {
    std::uint64_t serial = 0;
    Alarm alarm;
    EventHandle event;
    bool overdue = false;  // it went off during a pause
    bool late = false;     // it went off, but the node is starved and hears of it later
  };
  struct WaitingInput {
    std::uint64_t serial = 0;
    Channel channel;
    Input input;
  };

  Readings readings() const { return {clock_.mono(timeline_.now()), clock_.wall(timeline_.now())}; }
  // Unless something holds it down, or it lives: begins a life, or to start one up.
  void come_up();
  void begin_life();
  void terminate();
  // I8. Of a program that exits on it: whether it led, and does not any more, without having been asked to stop.
  bool lost_leadership() const;
  void exit_if_lost();
  void watch_belief(const Until& until);
  void clock_has_changed();
  // After each call of the driver: schedules new departures, and handles a life that has ended.
  void settle();
  void end_life(Death how);
  void start_later(Duration after);
  void stop_suspension();
  // How late a starved node is this time; zero when it is not.
  Duration lateness();
  void set_alarm(const Alarm& alarm);
  void drop_alarm(const Alarm& alarm);
  void schedule_alarm(Ringing& ringing);
  void alarm_rang(std::uint64_t serial);
  void reschedule_alarms();
  void schedule_departure();
  void depart();
  void take_waiting(std::uint64_t serial);
  void deliver(Input&& input);
  Duration resume_draw(std::uint64_t ordinal) const;

  Timeline& timeline_;
  History& history_;
  ProcessWorld& world_;
  KeyedRng rng_;
  NodeId id_;
  NodeClock clock_;
  Quantiles departure_;
  ProgramSetting program_;
  std::uint16_t handler_;

  Driver driver_;
  bool wall_clock_read_ = false;
  bool up_ = false;             // a life has begun, and its end was not reported yet
  bool asked_to_stop_ = false;  // of this life
  std::vector<Hold> downs_;
  std::vector<Hold> pauses_;
  std::vector<Hold> suspensions_;                              // each of them a pause as well
  std::vector<std::pair<std::uint64_t, std::int64_t>> rates_;  // by cause
  std::vector<std::pair<std::uint64_t, Duration>> starved_;    // by cause
  std::int64_t late_second_ = -1;
  std::uint64_t lates_ = 0;  // in that second
  std::function<void()> on_death_;

  std::vector<Ringing> alarms_;      // in the order in which they were set
  std::deque<TrueTime> not_before_;  // for each effect that waits: a starved node is late with it
  bool departing_ = false;
  std::deque<WaitingInput> waiting_;
  std::uint64_t serial_ = 0;
  std::int64_t departure_second_ = -1;
  std::uint64_t departures_ = 0;                                // in that second
  std::vector<std::pair<std::uint64_t, std::uint64_t>> draws_;  // by purpose
  SimDisk disk_;                                                // of the machine: it outlives each life

  TrueTime belief_since_;
  bool led_ = false;         // this life has believed
  EventHandle belief_ends_;  // I8
  TrueTime life_since_;
  RestartBackoff backoff_;
  std::uint64_t starts_up_ = 0;  // how often it has begun to
  bool brought_up_ = false;      // its next life is there already
};

}  // namespace tenure::sim
