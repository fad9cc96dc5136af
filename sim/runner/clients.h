// The clients: they edit schedules, as [[change]] says, during the faults.
//
// A client is careful: it shows the version that it last saw, and if it does not learn what became of an edit, it asks
// again. Edits of one schedule follow one another. If a failover of the store lost edits, the client finds out at its
// next edit, and applies that edit to the version that is left.
//
// A schedule with a payload is created in three steps: paused, then with its payload, then as it is to be. If a
// failover has lost the payload, an edit begins with what is lacking.
//
// A replay looks through what is dead, page by page, and puts back what is of its schedule.
//
// Thread rule: one run's clients belong to it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "sim/scenario/scenario.h"
#include "sim/world/world.h"

namespace tenure::sim {

class Clients {
 public:
  explicit Clients(World& world);
  // Puts the changes on the timeline. Call once, after World::begin.
  void begin();

 private:
  struct Schedule {
    std::uint32_t version = 0;  // last seen; 0: not created
    Definition definition;
    PayloadSetting payload;
    std::deque<const ChangeSetting*> waiting;
    bool busy = false;
    bool unsure = false;          // an attempt at the first waiting change may have been applied
    std::uint64_t dead_seen = 0;  // by a replay: up to this number
    bool more_dead = false;
    std::vector<reference::EventId> to_replay = {};

    // It is to have one, and the store has it only without.
    bool lacks_payload() const;
  };
  void next(ScheduleId id);
  void attempt(ScheduleId id);
  void answered(ScheduleId id, const StoreReplied& reply);
  void looked_through(ScheduleId id, const reference::Reply& reply);
  void done(ScheduleId id);
  StoreTime asked_at(const ChangeSetting& change) const;
  Request request_for(ScheduleId id, const Schedule& schedule, const ChangeSetting& change) const;

  World& world_;
  std::map<ScheduleId, Schedule> schedules_;
};

}  // namespace tenure::sim
