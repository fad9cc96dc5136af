// delivered: after the heal, every event for a destination gets delivered, or is dead.
//
// What was committed by the heal, or so long before the end of the run, has left the outbox when the run ends. So
// long: the longest wait between two attempts of its schedule, the time-out of its destination, and what a leader
// takes to ask for it and to take it from the outbox. Under strict order that is asked of the first event of a schedule
// alone, from when it became the first: how many follow each other in a run depends on how long they take.
// Reads: commits, accepted runs, what is taken from the outbox, the heal.
// Not applicable: no schedule names a destination.
// One opportunity: an event that was committed in time.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/outbox_tracker.h"
#include "sim/checkers/trackers/routed_schedules.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {
namespace {

class Delivered final : public Checker {
 public:
  explicit Delivered(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes), scenario_(setup.scenario), routed_(setup.scenario) {}

  std::uint32_t wants() const override {
    return record_mask<Applied, StoreReplicaStalled, StoreFailedOver, Healed>();
  }

  void see(TrueTime now, const Record& record) override {
    if (std::holds_alternative<Healed>(record)) healed_ = now;
    outbox_.see(
        now, record,
        [&](const reference::EventId& id, const Outbox::Event&) {
          if (is_pushed(id)) examined();
        },
        [&](const reference::EventId& id, const Outbox::Event&) { left_[id.schedule] = now; });
  }

  void finish(TrueTime now) override {
    if (!healed_) return;
    std::uint64_t unjudged = 0;
    std::uint64_t behind = 0;
    const std::map<ScheduleId, std::uint64_t> first = first_of_each();
    for (const auto& [id, event] : outbox_.events()) {
      if (!is_pushed(id)) continue;
      const Delivery& delivery = *routed_.find(id.schedule);
      const TrueTime latest = now - takes(delivery);
      if (event.at > std::max(latest, *healed_)) continue;
      if (delivery.strict_order && event.position != first.at(id.schedule)) {
        ++behind;
        continue;
      }
      if (delivery.strict_order && became_first(id.schedule) > std::max(latest, *healed_)) continue;
      if (latest < *healed_) {
        ++unjudged;
        continue;
      }
      violate([&] {
        return Violation{now,
                         fmt::format("{}, committed at {}, was neither delivered nor given up",
                                     names_.event(id), time_text(event.at)),
                         {event.who},
                         {id.schedule},
                         std::max(event.at, *healed_),
                         {},
                         true};
      });
    }
    if (behind > 0)
      leave_unjudged(
          fmt::format("{} events wait behind an earlier one of their schedule (strict order)", behind));
    if (unjudged > 0)
      leave_unjudged(
          fmt::format("{} events of destinations: the tail is shorter than the longest wait between "
                      "two attempts, and what goes with it",
                      unjudged));
  }

 private:
  struct Nothing {};
  using Outbox = OutboxTracker<Nothing>;

  bool is_pushed(const reference::EventId& event) const {
    const Delivery* delivery = routed_.find(event.schedule);
    return delivery != nullptr && delivery->kind == Delivery::Kind::push;
  }
  // The position of the first that waits.
  std::map<ScheduleId, std::uint64_t> first_of_each() const {
    std::map<ScheduleId, std::uint64_t> first;
    for (const auto& [id, event] : outbox_.events()) {
      const auto [place, is_new] = first.try_emplace(id.schedule, event.position);
      if (!is_new) place->second = std::min(place->second, event.position);
    }
    return first;
  }
  TrueTime became_first(ScheduleId schedule) const {
    const auto left = left_.find(schedule);
    return left != left_.end() ? left->second : TrueTime::min();
  }
  Duration takes(const Delivery& delivery) const {
    Duration timeout;
    for (const DestinationSetting& destination : scenario_.destinations)
      if (destination.name == delivery.destination)
        timeout = std::min(destination.timeout, destination.latency.max() + Duration::seconds(1));
    // The first attempt that finds it well may be told that it is working on the one before.
    const Duration waits = back_off_after(delivery, delivery.attempts) * 2;
    return waits + timeout * 2 + longest_turn(scenario_) * 2 + scenario_.scheduling.duration("ack_delay") +
           scenario_.scheduling.duration("poll_period") + Duration::seconds(10);
  }

  Names names_;
  const Scenario& scenario_;
  RoutedSchedules routed_;
  Outbox outbox_;
  std::map<ScheduleId, TrueTime> left_;  // when an event of it last left the outbox
  std::optional<TrueTime> healed_;
};

}  // namespace

const char* delivered::not_applicable(const Scenario& scenario) { return lacks_destinations(scenario); }

std::unique_ptr<Checker> delivered::make(const CheckerSetup& setup) {
  return std::make_unique<Delivered>(setup);
}

}  // namespace tenure::sim
