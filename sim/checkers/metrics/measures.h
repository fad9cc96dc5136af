// The measurements of a run: the numbers that thresholds are about, and the strip that shows who led.
//
// metrics.h collects them.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/store/reference/requests.h"
#include "sim/checkers/metrics/samples.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

// The cause of a metric's worst value, to explain why a threshold failed.
struct WorstMoment {
  Duration value;
  TrueTime from;
  TrueTime to;
  std::optional<Incarnation> who;   // led before, began to believe first, or did the work
  std::optional<Incarnation> next;  // led after, or did so as well
  reference::EventId event;         // of fire_lateness: what was late
  std::uint64_t fault = 0;          // the fault that ended the leadership; 0: none, or not known
  bool operator==(const WorstMoment&) const = default;
};

struct Metrics {
  std::uint64_t failovers = 0;        // grants that ended a leaderless time begun by a fault or a death
  std::uint64_t false_failovers = 0;  // leaderships lost although their node was running and reachable
  Samples failover;                   // from the fault that ended a leadership to the next grant
  Duration leaderless;
  std::vector<std::pair<std::string, Duration>> leaderless_by_cause;  // largest first
  Duration useless;                   // without a leader, or with one that warms up still
  Duration believer_overlap;          // the sum
  Duration believer_overlap_longest;  // at a time
  std::uint64_t believer_overlaps = 0;
  Duration acting_overlap;          // the part of it in which two believe and neither is paused
  Duration acting_overlap_longest;  // at a time
  Duration work_overlap;
  std::uint64_t work_overlaps = 0;
  std::optional<Duration>
      safety_margin;  // smallest gap between one belief's end and another's start; < 0: overlap
  std::uint64_t store_requests = 0;
  std::uint64_t fires = 0;
  std::uint64_t work_stopped = 0;   // attempts that had begun, and were stopped or died with their process
  std::uint64_t work_failed = 0;    // attempts that had begun, and failed
  std::uint64_t work_dead = 0;      // events that were given up
  std::uint64_t skipped_slots = 0;  // missed, coalesced or suppressed
  std::uint64_t drained_segments =
      0;                  // versions that were carried to their end after an edit had closed them
  Samples fire_lateness;  // work begun, after its slot was due, on the store's clock
  std::uint64_t stale_writes_rejected = 0;
  std::uint64_t epochs = 0;
  std::uint64_t statements_failed =
      0;  // of a design: the store answered with an error, or does not run them at all
  std::string first_failed_statement;  // with its error, for people

  // By metric; nullopt when it was not observed. The least value for safety_margin, otherwise the greatest single
  // value.
  std::optional<WorstMoment> worst_failover;
  std::optional<WorstMoment> worst_leaderless;
  std::optional<WorstMoment> worst_believer_overlap;
  std::optional<WorstMoment> worst_work_overlap;
  std::optional<WorstMoment> worst_safety_margin;
  std::optional<WorstMoment> worst_fire_lateness;
  bool operator==(const Metrics&) const = default;
};

// One instance's leadership over the run, in equal columns.
struct LeadershipTimeline {
  enum class Cell : std::uint8_t { standby, leads, stalled, down };  // stalled: believes, and is paused
  std::string name;
  std::vector<Cell> cells;
  std::vector<std::uint32_t> lost = {};  // of each cell, how often a leadership ended in it
  bool operator==(const LeadershipTimeline&) const = default;
};

}  // namespace tenure::sim
