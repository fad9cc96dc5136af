// Tracks which definitions each node's program cannot read.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <set>
#include <utility>

#include "sim/world/record.h"

namespace tenure::sim {

class UnreadTracker {
 public:
  static constexpr std::uint32_t kReads = record_mask<DefinitionRead>();

  void see(const Record& record) {
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
  // Whether the row records as missed what its writer could not read: such a row has neither a number of slots nor a
  // due time.
  bool excuses(Incarnation who, const reference::LedgerRow& row) const {
    return row.what == reference::Disposition::missed && row.slots == 0 && contains(who.node, row.schedule);
  }

 private:
  std::set<std::pair<NodeId, ScheduleId>> unread_;
};

}  // namespace tenure::sim
