// What several observers of one run would each track for themselves: how busy the workers are, what may be taken from
// the outbox, which work has begun, and by which rules events are delivered. It sees each record before its readers do.
//
// Thread rule: one belongs to one run.
#pragma once

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/delivery_tracker.h"
#include "sim/checkers/trackers/event_rules.h"
#include "sim/checkers/trackers/event_set.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/checkers/trackers/workers_tracker.h"
#include "sim/scenario/latencies.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class WorkTrackers final : public Observer {
 public:
  explicit WorkTrackers(const Scenario& scenario)
      : workers_(scenario, longest_turn(scenario) + kLongestGrace), deliveries_(work_attempts_of(scenario)) {}

  std::uint32_t wants() const override {
    return StoreHistory<KnownSchedules>::kReads |
           record_mask<WorkAsked, WorkLanded, WorkEnded, DeliveryLanded, Submitted, Applied, Noted, NodeDied,
                       Healed>();
  }
  void see(TrueTime now, const Record& record) override {
    history_.see(record);
    workers_.see(now, record);
    deliveries_.see(record);
    rules_.see(record);
    if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing == DeliveryOutcome::begun) begun_.add(landed->item.event, history_->tracker);
    } else if (const auto* sent = std::get_if<DeliveryLanded>(&record)) {
      if (sent->landing == DeliveryOutcome::begun) begun_.add(sent->item.event, history_->tracker);
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      history_->tracker.see(*applied);
      for_each_covered(*applied, [&](const reference::LedgerRow& row) { history_->tracker.cover(row); });
    }
  }

  const WorkersTracker& workers() const { return workers_; }
  const DeliveryTracker& deliveries() const { return deliveries_; }
  // A failover takes none of it back.
  const EventSet& begun() const { return begun_; }
  const EventRules& rules() const { return rules_; }

 private:
  // Readers ask for no more than that and the longest turn before the end, or the heal.
  static constexpr Duration kLongestGrace = Duration::seconds(10);

  WorkersTracker workers_;
  DeliveryTracker deliveries_;
  StoreHistory<KnownSchedules> history_;
  EventSet begun_;
  EventRules rules_;
};

}  // namespace tenure::sim
