// By which rules each event that others deliver is delivered: those of the version that fired it, whatever edits come
// later. A manual run is fired by the version that is in force when it is asked for.
//
// What is known of an event stays, also when it is over, or when a failover loses its commit: its sender may go on with
// it. Numbers of versions go back with the store.
//
// So it also says which events a record has committed, and which manual runs and backfills it has made: a repetition
// makes none.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/store/reference/event_map.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/world/record.h"

namespace tenure::sim {

class EventRules {
 public:
  using Rules = reference::DeliveryRules;

  void see(const Record& record);

  // An event that the store has from now on.
  struct Came {
    reference::EventId event;
    std::uint32_t version = 0;  // that fired it
  };
  // By the last record.
  const std::vector<Came>& came() const { return came_; }
  // Those that are dead by the last record. A give-up names their numbers in the store: one that is repeated, because
  // its answer was lost, takes nothing that was put back since under another number.
  const std::vector<reference::EventId>& died() const { return died_; }

  // Of a version; nullptr: its events are the leader's own work, or there is no such version.
  const Rules* of(ScheduleId schedule, std::uint32_t version) const;
  // Of an event; nullptr: it is the leader's own work, or nobody has committed it.
  const Rules* find(const reference::EventId& event) const {
    const Fired* fired = events_.find(event);
    return fired != nullptr ? fired->rules : nullptr;
  }
  // Whether the event is for who has had it. (For consumers: of any topic.)
  bool is_for(const reference::DeliveredEvent& had) const;
  // The version that fired it, if find() has rules for it.
  std::uint32_t version(const reference::EventId& event) const { return events_.find(event)->version; }
  // Nothing else is known of it: no failover has lost a commit of another version.
  bool is_sure(const reference::EventId& event) const { return !attempts_.contains(event); }
  // After how many failures it is dead, at least: a failover may have lost a commit of another version.
  std::uint32_t least_attempts(const reference::EventId& event) const;

 private:
  struct Fired {
    const Rules* rules = nullptr;
    std::uint32_t version = 0;
  };
  struct Version {
    std::uint32_t number = 0;
    const Rules* rules = nullptr;
  };
  struct Known {
    std::vector<std::vector<Version>> versions;  // by schedule; sorted by number
    std::set<std::pair<ScheduleId, std::uint64_t>> runs;
  };

  void take(const Applied& applied);
  void give_up(const Applied& applied);
  std::span<const Version> versions(ScheduleId schedule) const {
    const auto& all = known_->versions;
    return schedule.value < all.size() ? std::span(all[schedule.value]) : std::span<const Version>{};
  }
  void put(ScheduleId schedule, std::uint32_t version, const Definition& definition);
  void comes(const reference::EventId& event, std::uint32_t version);
  // The last one; 0: none.
  std::uint32_t in_force(ScheduleId schedule) const;

  std::deque<Rules> rules_;  // of all versions that ever were
  StoreHistory<Known> known_;
  std::vector<Came> came_;
  std::vector<reference::EventId> died_;
  // Another branch gives the same numbers to others.
  std::map<reference::EventId, std::pair<std::uint32_t, std::uint64_t>> given_up_;  // under which it was last
  reference::EventMap<Fired> events_;  // as they were committed last
  std::map<reference::EventId, std::uint32_t>
      attempts_;  // the least, of those that two versions have committed
};

}  // namespace tenure::sim
