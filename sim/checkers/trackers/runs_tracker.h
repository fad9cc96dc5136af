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

#include <cstdint>
#include <optional>

#include "core/store/reference/event_map.h"
#include "sim/checkers/trackers/event_lifecycle.h"
#include "sim/checkers/trackers/event_rules.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class RunsTracker {
 public:
  static constexpr std::uint32_t kReads = record_mask<Applied, WorkAsked, WorkArrived, NodeDied, Healed>();

  // `rules`: sees each record before.
  RunsTracker(const Scenario& scenario, const EventRules& rules);

  // `work`: has seen the record.
  void see(TrueTime now, const Record& record, const EventLifecycle& work);

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

  void take(TrueTime now, const Applied& applied);
  void took_turn(TrueTime now);
  void others_turn(TrueTime now, const EventLifecycle& work);

  const EventRules& rules_;
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
