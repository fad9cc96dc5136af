// Tracks whether manual runs get their turn while all workers are busy: how much other work a leader begins while runs
// that it has read in the outbox wait.
//
// Runs share the free workers with fires that are due, half and half, and both with work that failed (decision 18). So
// between two runs a worker begins about three other pieces; kTurns leaves room. What failed goes before, if a new
// leader finds it in the outbox, and so do slots that are there. Only the time after the heal counts, when a leader
// hears what it reads.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/store/reference/event_map.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/event_lifecycle.h"
#include "sim/checkers/trackers/event_rules.h"
#include "sim/scenario/latencies.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class RunsTracker {
 public:
  // `rules` and `work`: see each record before.
  RunsTracker(const Scenario& scenario, const EventRules& rules, const EventLifecycle& work)
      : rules_(rules),
        work_(work),
        workers_(static_cast<std::uint64_t>(scheduling_number(scenario, "max_running", UINT32_MAX))),
        hears_(scheduling_duration(scenario, "request_timeout") * 2) {}

  void on(TrueTime, const Healed&) { healed_ = true; }
  void on(TrueTime now, const Applied& applied) {
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
  void on(TrueTime now, const WorkAsked& asked) {
    if (asked.item.event.run == 0) return;
    known_.erase(asked.item.event);
    asked_.add(asked.item.event);
    took_turn(now);
  }
  void on(TrueTime now, const WorkArrived& landed) {
    if (landed.landing == DeliveryOutcome::begun && landed.item.event.run == 0 && landed.who == reader_)
      others_turn(now);
  }
  void on(TrueTime, const NodeDied& died) {
    if (died.who == reader_) reader_.reset();
  }

  struct Starved {
    reference::EventId event;
    Incarnation who;
    TrueTime since;
    std::uint64_t passed = 0;  // pieces of work that it began meanwhile
  };
  // The first that was; nullopt: none was.
  const std::optional<Starved>& starved() const { return starved_; }

 private:
  static constexpr std::uint64_t kTurns = 8;  // of all workers

  void took_turn(TrueTime now) {
    since_ = now;
    passed_ = most_waiting_ = 0;
    most_slots_ = slots_;
  }
  void others_turn(TrueTime now) {
    if (known_.empty() || now - since_ <= hears_) return;
    most_waiting_ = std::max(most_waiting_, work_.waiting());
    if (++passed_ <= kTurns * workers_ + 4 * most_waiting_ + most_slots_ || starved_) return;
    known_.for_each([&](const reference::EventId& event, std::monostate) {
      if (!starved_) starved_ = Starved{event, *reader_, since_, passed_};
    });
  }

  const EventRules& rules_;
  const EventLifecycle& work_;
  std::uint64_t workers_;
  Duration hears_;  // an answer within
  bool healed_ = false;
  std::optional<Incarnation> reader_;
  reference::EventsInHand known_;  // to the reader, and not asked for
  reference::EventsInHand asked_;  // and in the outbox
  TrueTime since_;                 // some were known, and none was asked for
  std::uint64_t passed_ = 0;
  std::uint64_t most_waiting_ = 0;
  std::uint64_t slots_ = 0;  // that the sweep of the outbox has shown so far
  std::uint64_t most_slots_ = 0;
  std::optional<Starved> starved_;
};

}  // namespace tenure::sim
