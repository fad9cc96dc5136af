// The requests and answers of each life: an index of the journals, for comparisons.
//
// Thread rule: values; pointers are into the journals, which must outlive them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/audit/journal_reader.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

struct JournalCall {
  const journal::Asked* asked = nullptr;
  const journal::Answered* answered = nullptr;  // null: no answer came
  TrueTime sent;
  TrueTime heard;
  std::size_t line = 0;           // the request's line in its life, from 0
  std::size_t answered_line = 0;  // likewise
  // The latest time of the store's clock that the life had heard when it asked: the request was executed no earlier.
  StoreTime not_before = StoreTime::min();

  Incarnation who() const { return asked->id.incarnation; }
  bool applied() const { return answered != nullptr && answered->outcome == RequestOutcome::applied; }
  // It is unknown whether it was executed.
  bool in_doubt() const { return answered == nullptr || answered->outcome == RequestOutcome::unknown; }
  StoreTime at() const { return answered->store_time; }  // REQUIRES: applied()
};

// What a client changed, or may have changed, as the life that it asked tells.
struct JournalClientChange {
  Incarnation who;
  const journal::ClientChange* change = nullptr;
  TrueTime told;  // when it was written, some time after its answer: no measure of the store's clock
  StoreTime not_before = StoreTime::min();  // as for a call; of one that is not known to have been executed
};

struct LifeLine {
  TrueTime at;
  const journal::Line* line = nullptr;
};

struct LifeHistory {
  std::vector<LifeLine> lines;
  std::vector<JournalCall> calls;  // in the order in which they were asked
  std::vector<JournalClientChange> client_changes;
  // Of the node. What clients change may be told after that.
  bool node_ended = false;  // the journal says so; otherwise its end may be lost
  bool stopped = false;     // by a regular stop
  TrueTime ended_at;

  void end_node(TrueTime at, bool in_good_order);
  // Whether its journal has its beginning. What stands in the place of one that is missing has no number (begin_late).
  bool begins() const;
};

// A row that a commit asked for.
struct JournalRow {
  reference::LedgerRow row;  // as the store wrote it
  bool covered = false;      // else it is unknown whether it was
};
// Without those of which the store answered that it did not write them.
std::vector<JournalRow> rows_of(const JournalCall& call);

struct JournalHistory {
  std::map<Incarnation, LifeHistory> lives;

  // Calls `see(const Call&)` for each request about the resource.
  template <class See>
  void for_each_call(ResourceId resource, See&& see) const {
    for (const auto& [who, life] : lives)
      for (const JournalCall& call : life.calls)
        if (resource_of_call(call) == resource) see(call);
  }
  // Likewise, for each change of a client.
  template <class See>
  void for_each_client_change(ResourceId resource, See&& see) const {
    for (const auto& [who, life] : lives)
      for (const JournalClientChange& one : life.client_changes)
        if (one.change->resource == resource) see(one);
  }
  // About which nodes asked.
  std::set<ResourceId> resources() const;
  static ResourceId resource_of_call(const JournalCall& call);
};

// Work of a term of an election. All else is a fire's, whatever it says of itself.
inline bool is_of_a_term(const WorkItem& item) { return !item.once && item.event.slot == StoreTime{}; }

// Whether it stands in the place of a life's beginning that is in no journal (begin_late): it has no number.
bool begins_late(const journal::Line& line);

// REQUIRES: the journals are consistent (moments_of).
JournalHistory history_of(const std::vector<NodeJournal>& journals);

// "resource 2"; several resources are rare, but must be told apart.
std::string resource_text(ResourceId resource);

}  // namespace tenure::sim
