// What journals know of the time, as a recording: for pictures.
//
//   1. What no journal tells is not in it: pauses, faults, and when a request was on its way or in the store.
//   2. A belief ends where the checkers end it: at its time on its node's clock, with a step-down, or with its life.
//   3. The lease is where the audit places it (event_order.h): at the last moment at which the store can have given it.
//   4. Of a life without a last word nothing is known after its last line. `silences` has those times; a belief in them
//      is as the life said before.
//   5. Times are those of the order that is judged first: of the machine's clock, or of the store's for several
//      machines. The first line is zero.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lab/audit/history.h"
#include "lab/audit/id_compaction.h"
#include "sim/runner/recording.h"

namespace tenure::lab {

// The store's clock at time zero, as far as the answers of the first minute fix it.
struct StoreDate {
  StoreTime earliest;
  StoreTime latest;
};

struct AuditTimeline {
  sim::Recording recording;             // of one resource; its nodes are lanes, in the order of their ids
  std::vector<sim::LifeSpan> silences;  // by lane
  std::optional<StoreDate> zero;        // nullopt: no answer tells, or two contradict each other
  ResourceId resource;
  std::size_t resources = 0;  // that the journals are of
  std::size_t in_doubt = 0;   // requests about the lease without an answer: what became of them is not known
  std::size_t orders = 1;     // that are possible; this is the first
  bool on_store_clock = false;  // else on that of the machine
};

// `violations`: of the checkers; their nodes are ids. nullopt: the journals have no common order.
// REQUIRES: compact_ids gave `real`.
std::optional<AuditTimeline> timeline_of(const JournalHistory& history, const RealNames& real,
                                         std::vector<sim::ViolationSpan> violations);

}  // namespace tenure::lab
