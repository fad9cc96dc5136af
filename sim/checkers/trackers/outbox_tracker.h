// What the outbox holds, in the order of commits, by the store's answers: fires, manual runs, slots of backfills.
//
// An event is here from its commit until it is acknowledged, given up, or over by what its worker said. A failover
// takes the outbox back to what the replica had; what the lost branch had taken from it, is there again.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/store/reference/event_map.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/kernel/true_time.h"
#include "sim/world/record.h"

namespace tenure::sim {

// `Note` is what a reader wants to remember of each event. It stays the event's as long as the event is here.
template <class Note>
class OutboxTracker {
 public:
  struct Event {
    std::uint64_t position = 0;  // in the order of commits
    Incarnation who;             // committed it, or asked for the run
    TrueTime at;
    Note note = {};
  };
  using Events = reference::EventMap<Event>;

  // Calls added(id, event) and taken(id, event) for what comes and goes.
  template <class Added, class Taken>
  void see(TrueTime now, const Record& record, Added&& added, Taken&& taken) {
    if (std::holds_alternative<StoreReplicaStalled>(record)) {
      replica_ = Copy{events_, runs_};
    } else if (std::holds_alternative<StoreFailedOver>(record)) {
      if (replica_) fail_over();
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      take(now, *applied, added, taken);
    }
  }

  const Events& events() const { return events_; }
  Event* find(const reference::EventId& id) { return events_.find(id); }

 private:
  struct Copy {
    Events events;
    std::set<std::pair<ScheduleId, std::uint64_t>> runs;
  };

  // What was done outside stays done.
  void fail_over() {
    events_.for_each([&](const reference::EventId& id, const Event& now) {
      if (Event* const event = replica_->events.find(id)) event->note = now.note;
    });
    events_ = std::move(replica_->events);
    runs_ = std::move(replica_->runs);
    replica_.reset();
  }

  template <class Added, class Taken>
  void take(TrueTime now, const Applied& applied, Added& added, Taken& taken) {
    const auto add = [&](const reference::EventId& id) {
      const std::size_t before = events_.size();
      Event& event = events_.add(id);
      if (events_.size() == before) return;
      event = {++position_, applied.who, now};
      added(id, event);
    };
    for_each_covered(applied, [&](const reference::LedgerRow& row) {
      if (row.what == reference::Disposition::fired) add({row.schedule, row.slot, 0});
    });
    const bool edited = reference_reply<reference::Edited>(applied.reply) != nullptr;
    if (const auto* trigger = reference_request<reference::TriggerSchedule>(applied.request);
        trigger != nullptr && edited && runs_.insert({trigger->schedule, trigger->run}).second)
      add({trigger->schedule, trigger->at, trigger->run});
    if (const auto* backfill = reference_request<reference::BackfillSchedule>(applied.request);
        backfill != nullptr && edited && runs_.insert({backfill->schedule, backfill->run}).second)
      for (const StoreTime slot : backfill->slots) add({backfill->schedule, slot, backfill->run});
    const auto take = [&](const reference::EventId& id) {
      const Event* const event = events_.find(id);
      if (event == nullptr) return;
      taken(id, *event);
      events_.erase(id);
    };
    for_each_taken(applied, take);
    for_each_executed(applied, take);
  }

  Events events_;
  std::set<std::pair<ScheduleId, std::uint64_t>> runs_;
  std::uint64_t position_ = 0;
  std::optional<Copy> replica_;
};

}  // namespace tenure::sim
