// delivered: after the heal, every event for a destination or a worker gets delivered, or is dead.
//
// What was committed by the heal, or so long before the end of the run, is over when the run ends, or is being tried.
//
//   1. Being tried: its last attempt is no longer ago than one wait of the version that fired it, and what goes
//      with it.
//   2. For a destination, so long is two waits, each with the time-out of the destination: the first attempt that
//      finds it well may be told that it is working on the one before. A wait is the longest between two attempts, or
//      the one that the destination asks for if that is longer. Where a destination fails by itself, or loses answers,
//      an event that is being tried has one more wait for each attempt of the leadership that sent it last. Before
//      that, those of its destination are done that had waited at the heal: twice that, since what is tried again has
//      half of the places; and a leader needs time to ask for it, and to take it from the outbox.
//   3. For workers, so long is one attempt, with a claim that is let run out and the longest wait; for what is being
//      tried, all its attempts. Before that, those of its topic are done, with as many attempts as they may need, that
//      had waited at the heal, or for what came later wait at the end. Another event of its schedule that can be handed
//      out while it waits has all its attempts as well.
//   4. Where events wait for one another (strict order, or one at a time) that is asked of the first one alone, from
//      when the one before it has left: how many follow each other in a run depends on how long they take.
//   5. An event that no worker asks for, though there are workers, is not judged.
//   6. What has been claimed for the last time, in vain, is dead without anybody being told; so is what gave way to a
//      later event.
// Reads: commits, accepted runs, deliveries, what leaves the outbox, what the store answers to workers, the heal.
// Not applicable: no schedule names a destination, and there are no workers.
// One opportunity: an event that was committed in time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/execution_tracker.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {
namespace {

class Delivered final : public CheckerOf<Delivered> {
 public:
  explicit Delivered(const CheckerSetup& setup)
      : CheckerOf(setup), scenario_(setup.scenario), rules_(run_.rules()), executions_(run_.executions()) {}

  std::uint32_t wants() const override { return ExecutionTracker::kReads | CheckerOf::wants(); }
  void on(TrueTime now, const Healed&) {
    healed_ = now;
    at_heal_ = what_waits();
  }
  void on(TrueTime, const Applied&) {
    for (const auto& [id, event] : run_.came()) comes(id, event);
  }
  void before(TrueTime, const Record&) { follow(); }

  void finish(TrueTime now) override {
    follow();
    if (!healed_) return;
    at_end_ = what_waits();
    std::uint64_t unjudged = 0;
    std::uint64_t behind = 0;
    std::uint64_t unwanted = 0;
    run_.outbox().for_each([&](const reference::EventId& id, const StoredEvent& event) {
      if (!is_pushed(id) && !is_pulled(id)) return static_cast<void>(unwanted += is_for_workers(id) ? 1 : 0);
      if (!executions_.is_here(id)) return;  // nobody was told so
      const TrueTime latest = now - takes(id, event, now);
      if (event.at > std::max(latest, *healed_)) return;
      if (waits_for_others(id)) {
        if (!is_first(id)) return static_cast<void>(++behind);
        if (became_first(id) > std::max(latest, *healed_)) return;
      }
      if (latest < *healed_) return static_cast<void>(++unjudged);
      violate({now,
               fmt::format("{}, committed at {}, was neither delivered nor given up", names_.event(id),
                           time_text(event.at)),
               {event.who},
               {id.schedule},
               std::max(event.at, *healed_),
               {},
               true});
    });
    if (unwanted > 0)
      leave_unjudged(fmt::format("{} events of topics for which there is no worker", unwanted));
    if (behind > 0)
      leave_unjudged(fmt::format(
          "{} events wait behind an earlier one of their schedule (strict order, or one at a time)", behind));
    if (unjudged > 0)
      leave_unjudged(fmt::format(
          "{} events: the tail is shorter than the longest wait between two attempts, and what goes "
          "with it",
          unjudged));
  }

 private:
  using Rules = EventRules::Rules;
  // Events that wait for one another: of a schedule, and if they are pushed, for one destination.
  using Queue = std::pair<ScheduleId, std::string>;
  struct Waiting {
    std::map<std::string_view, std::int64_t> topics;  // for workers
    std::map<std::string, std::int64_t> destinations;
  };

  Waiting what_waits() const {
    Waiting all;
    run_.outbox().for_each([&](const reference::EventId& id, const StoredEvent&) {
      if (is_pulled(id)) ++all.topics[run_.topic(id.schedule)];
      if (is_pushed(id)) ++all.destinations[rules_.find(id)->delivery.destination];
    });
    return all;
  }
  template <class Name>
  static std::int64_t waiting(const std::map<Name, std::int64_t>& those, const Name& name) {
    const auto found = those.find(name);
    return found != those.end() ? found->second : 0;
  }
  // How many workers may do before what came at that time: of what came after the heal, those that they cannot keep up
  // with as well.
  std::int64_t waiting_for_workers(std::string_view topic, TrueTime came) const {
    const std::int64_t at_heal = waiting(at_heal_.topics, topic);
    return came > *healed_ ? std::max(at_heal, waiting(at_end_.topics, topic)) : at_heal;
  }

  bool is_pushed(const reference::EventId& event) const {
    const Rules* rules = rules_.find(event);
    return rules != nullptr && rules->delivery.kind == Delivery::Kind::push;
  }
  bool is_for_workers(const reference::EventId& event) const {
    const Rules* rules = rules_.find(event);
    return rules != nullptr && rules->delivery.kind == Delivery::Kind::pull && !scenario_.workers.empty();
  }
  bool is_pulled(const reference::EventId& event) const {
    return is_for_workers(event) &&
           std::any_of(scenario_.workers.begin(), scenario_.workers.end(), [&](const WorkerSetting& worker) {
             return worker.topic == run_.topic(event.schedule);
           });
  }
  void comes(const reference::EventId& id, const StoredEvent& event) {
    if (is_pushed(id) || is_pulled(id)) examined();
    const Rules* rules = rules_.find(id);
    if (rules == nullptr) return;
    if (!rules->delivery.strict_order) last_in_turn_[id.schedule] = event.position;
  }
  void follow() {
    for (const ExecutionTracker::Left& left : executions_.left_since(read_)) leaves(left);
  }
  void leaves(const ExecutionTracker::Left& left) {
    for (const auto& [position, other] : executions_.of_schedule(left.event.schedule)) {
      if (position > left.position) break;
      if (shares_queue(executions_.rules(other).delivery, left.rules->delivery)) return;  // that is the first
    }
    left_[{left.event.schedule, left.rules->delivery.destination}] = left.at;
  }
  static bool shares_queue(const Delivery& one, const Delivery& other) {
    return one.kind == other.kind && one.destination == other.destination;
  }

  bool waits_for_others(const reference::EventId& id) const {
    const Rules& rules = *rules_.find(id);
    return rules.delivery.kind == Delivery::Kind::push ? rules.delivery.strict_order : rules.one_at_a_time();
  }
  bool is_first(const reference::EventId& id) const {
    for (const auto& [position, other] : executions_.of_schedule(id.schedule)) {
      if (other == id) return true;
      if (shares_queue(executions_.rules(other).delivery, rules_.find(id)->delivery)) return false;
    }
    return true;
  }
  TrueTime became_first(const reference::EventId& id) const {
    const auto left = left_.find({id.schedule, rules_.find(id)->delivery.destination});
    return left != left_.end() ? left->second : TrueTime::min();
  }
  static bool is_after(const std::map<ScheduleId, std::uint64_t>& last, ScheduleId schedule,
                       std::uint64_t position) {
    const auto found = last.find(schedule);
    return found != last.end() && found->second > position;
  }

  // Rules 1 to 3.
  struct Times {
    Duration first;    // until it is over, or is being tried
    Duration all;      // until it is over
    Duration attempt;  // it is being tried for so long after an attempt
  };
  Duration takes(const reference::EventId& id, const StoredEvent& event, TrueTime now) const {
    const Delivery& delivery = rules_.find(id)->delivery;
    if (delivery.kind == Delivery::Kind::pull) {
      const Times times = times_of_workers(id, event);
      const KnownAttempt* last = executions_.find(id);
      const bool is_tried = last != nullptr && view_.store_now(StoreId{}) - last->from <= times.attempt;
      return is_tried ? times.all : times.first;
    }
    const SentEvent* last = run_.sent().last(id);
    const Times times = times_to_send(delivery, last != nullptr ? last->failures : 0);
    return last != nullptr && now - last->last <= times.attempt ? times.all : times.first;
  }
  Times times_of_workers(const reference::EventId& id, const StoredEvent& event) const {
    const Rules& rules = *rules_.find(id);
    Duration attempt;
    Duration work;
    std::int64_t places = 0;
    bool fails = false;
    for (const WorkerSetting& worker : scenario_.workers) {
      if (worker.topic != run_.topic(id.schedule)) continue;  // no others delay it
      attempt = std::max(attempt, worker.duration.max() + worker.claim + worker.poll + worker.timeout * 2);
      work = std::max(work, worker.duration.max() + worker.poll + worker.timeout);
      places += worker.count * worker.concurrent;
      fails = fails || worker.failing_ppm > 0;
    }
    const std::int64_t attempts = rules.delivery.attempts;
    attempt += back_off_after(rules.delivery, rules.delivery.attempts);
    const bool strict = rules.delivery.strict_order && !is_after(last_in_turn_, id.schedule, event.position);
    const std::int64_t others = rules.one_at_a_time() && !strict ? 1 : 0;
    const std::int64_t works =
        waiting_for_workers(run_.topic(id.schedule), event.at) * (fails ? attempts : 1);
    const Duration before = work * works / places + Duration::seconds(10);
    return {.first = attempt * (1 + attempts * others) + before,
            .all = attempt * attempts * (1 + others) + before,
            .attempt = attempt * (1 + others) + work + Duration::seconds(10)};
  }
  // `failures`: of the leadership that has sent it last.
  Times times_to_send(const Delivery& delivery, std::int64_t failures) const {
    Duration timeout;
    Duration backlog;
    Duration wait = back_off_after(delivery, delivery.attempts);
    bool fails = false;
    for (const DestinationSetting& destination : scenario_.destinations) {
      if (destination.name != delivery.destination) continue;
      timeout = std::min(destination.timeout, destination.latency.max() + Duration::seconds(1));
      wait = std::max(wait, destination.retry_after);
      fails = destination.failing_ppm + destination.answers_lost_ppm > 0;
      const std::int64_t places =
          std::min(scenario_.scheduling.number("destination_running"), destination.concurrent);
      backlog = destination.latency.max() * waiting(at_heal_.destinations, destination.name) / places * 2;
    }
    const Duration attempt = wait + timeout;
    const Duration turns = worst_commit_wait(scenario_) * 2 + scenario_.scheduling.duration("poll_period") +
                           Duration::seconds(10);
    const Duration first = backlog + attempt * 2 + turns + scenario_.scheduling.duration("ack_delay");
    return {.first = first, .all = first + attempt * (fails ? failures : 0), .attempt = attempt + turns};
  }

  const Scenario& scenario_;
  const EventRules& rules_;
  const ExecutionTracker& executions_;
  std::uint64_t read_ = 0;                            // of what left
  std::map<Queue, TrueTime> left_;                    // when the first of it last left the store
  std::map<ScheduleId, std::uint64_t> last_in_turn_;  // that came of those that are not strict
  std::optional<TrueTime> healed_;
  Waiting at_heal_;
  Waiting at_end_;
};

}  // namespace

TENURE_MADE_UNLESS(lacks_destinations_and_workers, delivered, Delivered)

}  // namespace tenure::sim
