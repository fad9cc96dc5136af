// One instance and everything that belongs to it: its driver (core/driver), with its process, its timers and the
// effects that wait, and its traffic to and from the store.
//
// Because an instance's traffic is part of it, a state of the world is a short tuple. The numbers of requests never
// leave the instance, so they can be renamed in one place. A move depends on one instance, and at most on the store.
//
//   1. NodeStates share the process that their drivers step: a driver steps a copy of its own.
//   2. Packets are in the order in which they were made. An effect has its packet, `queued`, from then on; requests of
//      one connection arrive, and their answers come back, in that order.
//   3. A request that its driver has given up may still be executed.
//
// Packets follow the rules of sim/world/sim_network.h; docs/exhaustive.md lists the differences.
//
// Thread rule: one NodeState belongs to one exploration.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/driver/driver.h"
#include "lab/explore/check.h"
#include "lab/explore/explore.h"
#include "lab/explore/move.h"

namespace tenure::lab::explore {

struct Packet {
  enum class Kind : std::uint8_t { request, work, notification };
  enum class Stage : std::uint8_t { queued, travelling, answered, lost };
  Kind kind = Kind::request;
  Stage stage = Stage::queued;
  bool delayed = false;    // time moved on while it travelled, and the budget paid for that
  bool overtaken = false;  // work: somebody else began to lead since it was decided …
  bool stale = false;      // … and that leader's work has landed
  std::uint32_t connection = 0;
  RequestId id;
  Part part = Part::elector;
  StoreId store;
  std::shared_ptr<const Request> request;  // set once it has left; so is `item`
  StoreTime store_time;                    // answered
  std::shared_ptr<const Reply> reply;
  WorkItem item;
  Notification notification;
};

struct NodeState {
  Driver driver;
  sim::TrueTime now;
  bool paused = false;
  bool overtaken = false;  // somebody else has begun to lead since it did
  std::vector<Packet> packets;

  bool running() const { return driver.alive() && !paused; }
  Incarnation who() const { return driver.who(); }
  NodeId node() const { return driver.who().node; }
};

// The effects of a move, besides those on the NodeState.
struct StepEffects {
  bool began = false;                         // a belief began
  bool chose = false;                         // something was drawn
  bool stepped = false;                       // the production core was stepped
  Check broken = Check::none;                 // the check that failed
  std::vector<std::string>* story = nullptr;  // if not null: what happened, in words
};

// What others need to know about a NodeState.
struct Facts {
  static constexpr std::int64_t kNever = INT64_MAX;
  std::int64_t due_in = kNever;  // until the next instant of its own, in ns
  std::uint64_t epoch = 0;       // of the token that it declared, if it has not stepped down; 0: none
  std::uint32_t life = 0;
  std::uint8_t on_the_way = 0;  // packets that would be delayed if time moved on
  bool urgent = false;          // it has something to do before time may move on
  bool believes = false;
};

// The rules by which NodeStates change. Holds everything constant.
class Rules {
 public:
  explicit Rules(const ExploreSettings& settings);

  const ExploreSettings& settings() const { return settings_; }
  MonoTime mono(sim::TrueTime now) const;
  WallTime wall(NodeId node, sim::TrueTime now) const;
  StoreTime store_now(sim::TrueTime now) const;
  Readings readings(const NodeState& local) const { return {mono(local.now), wall(local.node(), local.now)}; }

  // An instance that has not been started yet.
  NodeState make(NodeId node) const;
  // What can happen to it next, except `wait`. The caller checks the budgets.
  std::vector<Move> moves(const NodeState& local) const;
  // REQUIRES: a move of moves(), other than execute and land.
  void apply(NodeState& local, Move move, StepEffects& seen) const;
  void advance(NodeState& local, Duration by) const;
  Facts facts(const NodeState& local) const;
  // How far time moves when the least due_in of all instances is this.
  Duration to_next_instant(std::int64_t due_in) const;
  void hash(const NodeState& local, Hasher& hasher) const;

  // By its own notes, right now.
  bool believes(const NodeState& local) const { return local.driver.believes(readings(local)); }

 private:
  bool on_the_way(const NodeState& local, const Packet& packet) const;
  void start(NodeState& local, bool high, StepEffects& seen) const;
  void leave(NodeState& local, StepEffects& seen) const;
  void hear(NodeState& local, std::size_t index, bool high, StepEffects& seen) const;
  void give_up(NodeState& local, std::size_t index, bool high, StepEffects& seen) const;
  void lose(NodeState& local, std::size_t index, StepEffects& seen) const;
  // After a call of the driver.
  void settle(NodeState& local, bool high, StepEffects& seen) const;
  void end_life(NodeState& local) const;
  void hash(const Packet& packet, const NodeState& local, const Canon& canon, Hasher& hasher) const;

  ExploreSettings settings_;
  Duration rest_;  // how far time moves when nothing is due
};

// Adds a line to the story, if there is one.
template <class Words>
void tell(const StepEffects& seen, Words&& words) {
  if (seen.story != nullptr) seen.story->push_back(words());
}

}  // namespace tenure::lab::explore
