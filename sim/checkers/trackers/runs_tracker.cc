#include "sim/checkers/trackers/runs_tracker.h"

#include <algorithm>

#include "sim/checkers/trackers/applied.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {

RunsTracker::RunsTracker(const Scenario& scenario, const EventRules& rules)
    : rules_(rules),
      workers_(static_cast<std::uint64_t>(scheduling_number(scenario, "max_running", UINT32_MAX))),
      hears_(scheduling_duration(scenario, "request_timeout") * 2) {}

void RunsTracker::see(TrueTime now, const Record& record, const EventLifecycle& work) {
  if (std::holds_alternative<Healed>(record)) healed_ = true;
  if (const auto* applied = std::get_if<Applied>(&record)) {
    take(now, *applied);
  } else if (const auto* asked = std::get_if<WorkAsked>(&record)) {
    if (asked->item.event.run == 0) return;
    known_.erase(asked->item.event);
    asked_.add(asked->item.event);
    took_turn(now);
  } else if (const auto* landed = std::get_if<WorkArrived>(&record)) {
    if (landed->landing == DeliveryOutcome::begun && landed->item.event.run == 0 && landed->who == reader_)
      others_turn(now, work);
  } else if (const auto* died = std::get_if<NodeDied>(&record)) {
    if (died->who == reader_) reader_.reset();
  }
}

void RunsTracker::take(TrueTime now, const Applied& applied) {
  for_each_taken(applied, rules_, [this](const reference::EventId& event) {
    if (event.run == 0) return;
    known_.erase(event);
    asked_.erase(event);
  });
  const auto* outbox = reference_reply<reference::Outbox>(applied.reply);
  if (outbox == nullptr || !healed_) return;
  if (reader_ != applied.who) {
    reader_ = applied.who;
    known_ = {};
  }
  const auto* read = reference_request<reference::ReadOutbox>(applied.request);
  if (read != nullptr && read->after == 0) slots_ = 0;
  slots_ += static_cast<std::uint64_t>(
      std::count_if(outbox->events.begin(), outbox->events.end(),
                    [](const reference::OutboxEvent& event) { return event.id.run == 0; }));
  most_slots_ = std::max(most_slots_, slots_);
  const bool knew = !known_.empty();
  for (const reference::OutboxEvent& event : outbox->events)
    if (event.id.run != 0 && asked_.find(event.id) == nullptr) known_.add(event.id);
  if (!knew) took_turn(now);
}

void RunsTracker::took_turn(TrueTime now) {
  since_ = now;
  passed_ = most_waiting_ = 0;
  most_slots_ = slots_;
}

void RunsTracker::others_turn(TrueTime now, const EventLifecycle& work) {
  if (known_.empty() || now - since_ <= hears_) return;
  most_waiting_ = std::max(most_waiting_, work.waiting());
  if (++passed_ <= kTurns * workers_ + 4 * most_waiting_ + most_slots_ || starved_) return;
  known_.for_each([&](const reference::EventId& event, std::monostate) {
    if (!starved_) starved_ = Starved{event, *reader_, since_, passed_};
  });
}

}  // namespace tenure::sim
