// The destinations of events: servers outside that take deliveries, work on them for a time, and answer.
//
// A destination goes on with what it has begun whatever becomes of the sender: no process of ours can take a request
// back. It refuses what comes while it is down, or while it works on `concurrent` others. An answer can be late or
// lost: the sender then counts the attempt as failed, and the destination knows better. If it honours event ids, it
// says so when the event comes again. It knows of no other destination: neither what that was sent, nor under which
// tokens. What it refuses, or fails at, it may ask to be spared for a time.
//
// Thread rule: one of these belongs to one run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/kernel/keyed_rng.h"
#include "sim/kernel/timeline.h"
#include "sim/models/resource.h"
#include "sim/scenario/scenario.h"
#include "sim/world/history.h"

namespace tenure::sim {

class WorkWorld;

class Destinations : public EventHandler {
 public:
  Destinations(Timeline& timeline, History& history, WorkWorld& world, KeyedRng rng,
               const std::vector<DestinationSetting>& settings, bool fenced, bool honours_event_id);
  Destinations(const Destinations&) = delete;

  // The effect has left its process.
  void send(Incarnation who, const WorkItem& item);

  // No event waits for who has had it.
  void acknowledged(const reference::DeliveredEvent& had);

  // What a fault does to one destination, or to all of them if the name is empty, until it is turned back.
  struct Knobs {
    bool down = false;
    Duration slow;  // longer work
    std::int64_t failing_ppm = 0;
  };
  void turn(std::uint64_t cause, std::string_view name, const Knobs& knobs);
  void turn_back(std::uint64_t cause);
  // Whether anything was sent to what it has turned. REQUIRES: it has not turned back yet.
  bool met(std::uint64_t cause) const;

  void on_event(const Event& event) override;

 private:
  enum Kind : std::uint8_t { kLand, kEnd, kTimeout, kAnswer };
  struct Turned {
    std::uint64_t cause = 0;
    Knobs knobs;
    bool met = false;  // something was sent there
  };
  struct Server {
    DestinationSetting setting;
    OutsideResource resource;  // what it has begun
    std::vector<Turned> turned = {};
    std::int64_t working = 0;
  };
  struct Delivery {
    Incarnation who;
    WorkItem item;
    bool works = false;
    bool fails = false;
    bool loses_answer = false;
    bool answered = false;
    WorkResult result = WorkResult::done;
    Duration retry_after = {};
  };
  using Deliveries = std::map<std::uint64_t, Delivery>;  // by serial number

  void land(std::uint64_t serial, Delivery& delivery);
  void begin(std::uint64_t serial, Delivery& delivery, Server& server);
  void end(std::uint64_t serial, Delivery& delivery);
  void answer(std::uint64_t serial, Delivery& delivery, WorkResult result);
  // The answer "not now": what it asks the sender for, if the sender still listens.
  Duration wish(const Delivery& delivery) const;
  void forget_if_over(std::uint64_t serial);
  Knobs knobs_of(const Server& server) const;

  Timeline& timeline_;
  History& history_;
  WorkWorld& world_;
  KeyedRng rng_;
  std::uint16_t handler_;
  std::map<std::string, Server, std::less<>> servers_;
  Deliveries deliveries_;
  std::uint64_t sent_ = 0;
};

}  // namespace tenure::sim
