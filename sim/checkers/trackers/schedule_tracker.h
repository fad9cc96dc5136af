// Tracks the versions of each schedule and their segments in store time, from the edits that a store applied.
//
//   1. Versions of a schedule follow one another: each owns the slots in [begin, end).
//   2. An edit takes effect at the store time of its commit. In the reference store it never cuts into what the version
//      before it has covered, whatever the store's clock did meanwhile. A plain schedule table does not protect that.
//      In a design's own tables a version begins when its client asked for it, since the rows count from then.
//   3. An edit applied again (same version in the reply) changes nothing.
//   4. In the reference store a version that begins in the store's future, because the clock was ahead when it was
//      edited, gives way to the next edit, and is drawn back when a hold is cleared.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/base/ids.h"
#include "core/schedule/definition.h"
#include "sim/checkers/oracle/slots.h"
#include "sim/stores/schedule_table/requests.h"
#include "sim/stores/statements/requests.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct ScheduleVersion {
  ScheduleId schedule;
  std::uint32_t number = 0;
  std::uint32_t index = 0;  // among all versions of all schedules, in order of appearance
  StoreTime begin;
  StoreTime end = StoreTime::max();
  Slots slots;
  Misfire misfire;
  Overlap overlap = Overlap::allow;
  bool paused = false;
  bool is_deleted = false;  // with its schedule; an edit may bring that back, with another version
  StoreTime covered_until;  // reference store: the end of the last instant that a ledger row covers

  bool owns(StoreTime slot) const { return begin <= slot && slot < end && slots.has(slot); }
  // When a slot of it is due.
  StoreTime due(StoreTime slot) const { return slots.due(schedule, slot); }
  // Its slots that are due before `time` end here.
  StoreTime end_of_due(StoreTime time) const { return std::min(end, slots.end_of_due(schedule, time)); }
};

class ScheduleTracker {
 public:
  enum class Edit : std::uint8_t { none, opened, deleted, triggered, backfilled };
  struct Change {
    Edit what = Edit::none;
    ScheduleId schedule;
    bool after_delete =
        false;  // an edit of a deleted schedule, which the reference store should have refused
    std::uint32_t first_deleted = 0;  // deleted: the index of the first version that was not so before
  };
  // Takes in an edit. `deleted`: the last version has just been closed for good.
  Change see(const Applied& applied);

  // Returns the version that a ledger row covers, and notes how far; nullptr when it is unknown.
  ScheduleVersion* cover(const reference::LedgerRow& row);

  // This tracker is an earlier copy of `lost`: no version gets an index that a version has there.
  void went_back(const ScheduleTracker& lost) { version_count_ = lost.version_count_; }

  // Oldest first.
  std::span<const ScheduleVersion> versions(ScheduleId schedule) const;
  const ScheduleVersion* find(ScheduleId schedule, std::uint32_t number) const;
  // The version in whose time the slot is, whether or not it is one of its slots; nullptr when there is none.
  const ScheduleVersion* in_force_at(ScheduleId schedule, StoreTime slot) const;
  // The same, if it is one of its slots.
  const ScheduleVersion* owner(ScheduleId schedule, StoreTime slot) const;
  // When the event's slot is due, as its owner has it; a manual run is due at its slot.
  StoreTime due(const reference::EventId& event) const;
  // Whether its owner lets it wait for the schedule's work; no manual run does.
  bool queues(const reference::EventId& event) const;
  // A version that has this slot: the version in force then, or else the latest; nullptr when there is none.
  const ScheduleVersion* any_with(ScheduleId schedule, StoreTime slot) const;
  // Whether a version that fires has a slot that is in no ledger row, and comes before the paused version is recorded
  // from `from` on: ten seconds after its first slot. If such a slot waits for a worker, the record waits behind it.
  // Versions in `over`, by index, owe nothing any more.
  bool owes_fires_before(const ScheduleVersion& paused, StoreTime from,
                         const std::map<std::uint32_t, StoreTime>& over) const;
  // Calls see(version) for each: of one schedule after the other, oldest first.
  template <class See>
  void for_each(See&& see) const {
    for (const std::vector<ScheduleVersion>& versions : schedules_)
      for (const ScheduleVersion& version : versions) see(version);
  }
  std::uint32_t schedule_count() const { return static_cast<std::uint32_t>(schedules_.size()); }
  std::uint32_t version_count() const { return version_count_; }

 private:
  Change see_reference(const Applied& applied, const reference::Request& request);
  Change see_put(ScheduleId schedule, std::uint32_t number, const Definition& definition, StoreTime now);
  Change see_table(const Applied& applied, const schedule_table::Request& request);
  Change see_own_tables(const Applied& applied, const statements::Request& request);
  void open(ScheduleId schedule, std::uint32_t number, const Definition& definition, StoreTime begin);
  bool is_deleted(ScheduleId schedule) const;  // its last version has been closed, and none follows
  void close_last(ScheduleId schedule, StoreTime end);
  Change note_deleted(ScheduleId schedule);
  // The reference store's rules 1 and 9: the end of what all versions have covered.
  StoreTime covered_until(ScheduleId schedule) const;
  void cut(ScheduleId schedule, StoreTime at);
  void draw_back(ScheduleId schedule, StoreTime now);

  std::vector<std::vector<ScheduleVersion>> schedules_;  // by id
  std::uint32_t version_count_ = 0;
};

// For a StoreHistory of nothing else.
struct KnownSchedules {
  ScheduleTracker tracker;
  void went_back(const KnownSchedules& lost, std::uint32_t) { tracker.went_back(lost.tracker); }
};

}  // namespace tenure::sim
