// Everything that the reference store keeps for one resource: a lease, and the schedules that its holder fires.
//
// Requests that write are executed by the rules (rules.h) over the tables here; reads, and Prune, in partition.cc.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/store/reference/lease.h"
#include "core/store/reference/row_tables.h"
#include "core/store/reference/rules.h"

namespace tenure::reference {

class Partition {
 public:
  Reply apply(const auto& asked, Context& context) { return rules(context).apply(asked); }

  Reply apply(const ReadNamed& asked, Context& context);
  Reply apply(const ListNamed& asked, Context& context);
  Reply apply(const ReadPayloads& asked, Context& context);
  Reply apply(const ReadLog& asked, Context& context);
  Reply apply(const ReadWaiting& asked, Context& context);
  Reply apply(const ReadDepths& asked, Context& context);
  Reply apply(const ReadDue& asked, Context& context);
  Reply apply(const ReadOutbox& asked, Context& context);
  Reply apply(const ReadDead& asked, Context& context);
  Reply apply(const ChangesSince& asked, Context& context);
  Reply apply(const ReadHistory& asked, Context& context);
  Reply apply(const ReadNodes& asked, Context& context);
  Reply apply(const Prune& asked, Context& context);

  void keep_history() { history_.keep(); }
  const Lease& lease() const { return lease_; }
  Ledger ledger() const { return {exceptions_.all(), segments_.all()}; }
  // Nothing was ever granted or written here: it answers like a resource that does not exist.
  bool untouched() const { return lease_.epoch == 0 && changes_.last() == 0 && nodes_.untouched(); }
  void hash(Hasher& hasher, StoreTime now) const;

 private:
  ReferenceRules rules(Context& context);
  NamedSchedule describe(const Schedule& schedule) const;
  // Schedules to be deleted as Prune says.
  std::vector<ScheduleId> finished(StoreTime before, std::uint64_t limit) const;

  Lease lease_;
  std::optional<Hold> hold_;
  ScheduleIndex schedules_;
  SegmentTable segments_;
  ExceptionTable exceptions_;
  ChangeLog changes_;
  PayloadTable payloads_;
  RunTable runs_;
  OutboxQueue outbox_;
  WaitingTable waiting_;
  HistoryLog history_;
  NodeTable nodes_;
};

}  // namespace tenure::reference
