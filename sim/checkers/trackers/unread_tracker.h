// Tracks which definitions each node's program cannot read.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "sim/checkers/trackers/applied.h"
#include "sim/world/record.h"

namespace tenure::sim {

class UnreadTracker {
 public:
  static constexpr std::uint32_t kReads = record_mask<DefinitionRead, Submitted>();

  void see(const Record& record) {
    if (const auto* submitted = std::get_if<Submitted>(&record)) return note(*submitted);
    const auto* read = std::get_if<DefinitionRead>(&record);
    if (read == nullptr) return;
    if (read->readable)
      unread_.erase({read->node, read->schedule});
    else
      unread_.insert({read->node, read->schedule});
  }
  bool contains(NodeId node, ScheduleId schedule) const { return unread_.contains({node, schedule}); }
  bool any(NodeId node) const {
    const auto first = unread_.lower_bound({node, ScheduleId{}});
    return first != unread_.end() && first->first == node;
  }
  // Whether the row records as missed what its writer could not read when it decided: such a row has neither a number
  // of slots nor a due time. That no slot is left, it cannot know.
  bool excuses(const Applied& applied, const reference::LedgerRow& row) const {
    if (row.what != reference::Disposition::missed || row.slots != 0 || reference::is_end(row)) return false;
    const auto decided = decided_.find(applied.id);
    return decided != decided_.end() && decided->second.contains({applied.who.node, row.schedule});
  }

 private:
  using Unread = std::set<std::pair<NodeId, ScheduleId>>;

  // It may be executed when its program has been replaced by one that can read them.
  void note(const Submitted& submitted) {
    if (unread_.empty() || !any(submitted.who.node)) return;
    if (reference_request<reference::CommitFires>(submitted.submission.request) != nullptr)
      decided_[submitted.id] = unread_;
  }

  Unread unread_;
  std::map<RequestId, Unread> decided_;  // what was unread when a commit was decided
};

}  // namespace tenure::sim
