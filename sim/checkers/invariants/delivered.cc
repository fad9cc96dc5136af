// delivered: after the heal, every event for a destination or a worker gets delivered, or is dead.
//
// What was committed by the heal, or so long before the end of the run, is over when the run ends. So long, for a
// destination: the longest wait between two attempts of its schedule, or the one that its destination asks for if that
// is longer, the time-out of its destination, and what a leader takes to ask for it and to take it from the outbox. For
// workers: all its attempts, each with a claim that is let run out and the longest wait, once those of its topic are
// done that had waited at the heal. Under strict order that is asked of the first event of a schedule alone, from when
// it became the first: how many follow each other in a run depends on how long they take.
// What has been claimed for the last time, in vain, is dead without anybody being told; so is what gave way to a later
// event.
// Reads: commits, accepted runs, what is taken from the outbox, what the store answers to workers, the heal.
// Not applicable: no schedule names a destination, and there are no workers.
// One opportunity: an event that was committed in time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/execution_tracker.h"
#include "sim/checkers/trackers/outbox_tracker.h"
#include "sim/checkers/trackers/routed_schedules.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {
namespace {

class Delivered final : public Checker {
 public:
  explicit Delivered(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes),
        scenario_(setup.scenario),
        routed_(setup.scenario),
        executions_(routed_) {}

  std::uint32_t wants() const override {
    return record_mask<Applied, StoreReplicaStalled, StoreFailedOver, Healed>();
  }

  void see(TrueTime now, const Record& record) override {
    if (std::holds_alternative<Healed>(record)) {
      healed_ = now;
      waiting_at_heal_.clear();
      outbox_.events().for_each([&](const reference::EventId& id, const Outbox::Event&) {
        if (is_pulled(id)) ++waiting_at_heal_[routed_.topic(id.schedule)];
      });
    }
    executions_.see(record);
    for (const reference::EventId& id : executions_.found_dead()) left_[id.schedule] = now;
    outbox_.see(
        now, record,
        [&](const reference::EventId& id, const Outbox::Event&) {
          if (is_pushed(id) || is_pulled(id)) examined();
        },
        [&](const reference::EventId& id, const Outbox::Event&) { left_[id.schedule] = now; });
  }

  void finish(TrueTime now) override {
    if (!healed_) return;
    std::uint64_t unjudged = 0;
    std::uint64_t behind = 0;
    const std::map<ScheduleId, std::uint64_t> first = first_of_each();
    outbox_.events().for_each([&](const reference::EventId& id, const Outbox::Event& event) {
      if (!is_pushed(id) && !(is_pulled(id) && !may_be_over(id))) return;
      const Delivery& delivery = *routed_.find(id.schedule);
      const TrueTime latest = now - takes(id.schedule, delivery);
      if (event.at > std::max(latest, *healed_)) return;
      if (delivery.strict_order && event.position != first.at(id.schedule)) {
        ++behind;
        return;
      }
      if (delivery.strict_order && became_first(id.schedule) > std::max(latest, *healed_)) return;
      if (latest < *healed_) {
        ++unjudged;
        return;
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
    });
    if (behind > 0)
      leave_unjudged(
          fmt::format("{} events wait behind an earlier one of their schedule (strict order)", behind));
    if (unjudged > 0)
      leave_unjudged(fmt::format(
          "{} events: the tail is shorter than the longest wait between two attempts, and what goes "
          "with it",
          unjudged));
  }

 private:
  struct Nothing {};
  using Outbox = OutboxTracker<Nothing>;

  bool is_pushed(const reference::EventId& event) const {
    const Delivery* delivery = routed_.find(event.schedule);
    return delivery != nullptr && delivery->kind == Delivery::Kind::push;
  }
  bool is_pulled(const reference::EventId& event) const {
    return routed_.is_pulled(event.schedule) &&
           std::any_of(scenario_.workers.begin(), scenario_.workers.end(), [&](const WorkerSetting& worker) {
             return worker.topic == routed_.topic(event.schedule);
           });
  }
  // Nobody was told so.
  bool may_be_over(const reference::EventId& event) const {
    if (routed_.replaces(event.schedule)) return true;
    const KnownAttempt* last = executions_.find(event);
    return last != nullptr && last->may_be_dead;
  }
  // The position of the first that waits.
  std::map<ScheduleId, std::uint64_t> first_of_each() const {
    std::map<ScheduleId, std::uint64_t> first;
    outbox_.events().for_each([&](const reference::EventId& id, const Outbox::Event& event) {
      if (may_be_over(id)) return;
      const auto [place, is_new] = first.try_emplace(id.schedule, event.position);
      if (!is_new) place->second = std::min(place->second, event.position);
    });
    return first;
  }
  TrueTime became_first(ScheduleId schedule) const {
    const auto left = left_.find(schedule);
    return left != left_.end() ? left->second : TrueTime::min();
  }

  Duration takes(ScheduleId schedule, const Delivery& delivery) const {
    return delivery.kind == Delivery::Kind::pull ? takes_workers(schedule, delivery)
                                                 : takes_to_send(delivery);
  }
  std::int64_t waiting_at_heal(ScheduleId schedule) const {
    const auto found = waiting_at_heal_.find(routed_.topic(schedule));
    return found != waiting_at_heal_.end() ? found->second : 0;
  }
  Duration takes_workers(ScheduleId schedule, const Delivery& delivery) const {
    Duration attempt;
    Duration work;
    std::int64_t places = 0;
    for (const WorkerSetting& worker : scenario_.workers) {
      if (worker.topic != routed_.topic(schedule)) continue;  // no others delay it
      attempt = std::max(attempt, worker.duration.max() + worker.claim + worker.poll + worker.timeout * 2);
      work = std::max(work, worker.duration.max() + worker.poll + worker.timeout);
      places += worker.count * worker.concurrent;
    }
    attempt += back_off_after(delivery, delivery.attempts);
    // Of a schedule with another policy of overlap than `allow`, two wait at most.
    const std::int64_t in_turn = routed_.is_one_at_a_time(schedule) && !delivery.strict_order ? 2 : 1;
    return attempt * routed_.most_attempts(schedule) * in_turn + work * waiting_at_heal(schedule) / places +
           Duration::seconds(10);
  }
  Duration takes_to_send(const Delivery& delivery) const {
    Duration timeout;
    Duration wait = back_off_after(delivery, delivery.attempts);
    for (const DestinationSetting& destination : scenario_.destinations) {
      if (destination.name != delivery.destination) continue;
      timeout = std::min(destination.timeout, destination.latency.max() + Duration::seconds(1));
      wait = std::max(wait, destination.retry_after);
    }
    // The first attempt that finds it well may be told that it is working on the one before.
    const Duration waits = wait * 2;
    return waits + timeout * 2 + longest_turn(scenario_) * 2 + scenario_.scheduling.duration("ack_delay") +
           scenario_.scheduling.duration("poll_period") + Duration::seconds(10);
  }

  Names names_;
  const Scenario& scenario_;
  RoutedSchedules routed_;
  Outbox outbox_;
  ExecutionTracker executions_;
  std::map<ScheduleId, TrueTime> left_;  // when an event of it last left the outbox
  std::optional<TrueTime> healed_;
  std::map<std::string_view, std::int64_t> waiting_at_heal_;  // for workers, by topic
};

}  // namespace

const char* delivered::not_applicable(const Scenario& scenario) {
  return lacks_workers(scenario) == nullptr ? nullptr : lacks_destinations(scenario);
}

std::unique_ptr<Checker> delivered::make(const CheckerSetup& setup) {
  return std::make_unique<Delivered>(setup);
}

}  // namespace tenure::sim
