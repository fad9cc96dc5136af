// The plain schedule table: rows with next_run, polled and advanced; the last writer wins.
//
// There is no version and no guard: a SetNextRun that is under way during an edit overwrites what the edit computed,
// and two pollers read the same rows. These weak points of the designs that use such a table belong to the model. A
// schedule without a further slot has next_run = max() and is never due. A deleted schedule that is put again starts
// afresh.
//
// Thread rule: as StoreMachine.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/stores/machine_of.h"
#include "sim/stores/schedule_table/requests.h"

namespace tenure::schedule_table {

class ScheduleTableStore final : public PlainStore<ScheduleTableStore, Request> {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  Reply answer(const ReadRuns& asked, StoreTime now);
  Reply answer(const SetNextRun& asked, StoreTime now);
  Reply answer(const PutRow& asked, StoreTime now);
  Reply answer(const DeleteRow& asked, StoreTime now);

 private:
  struct Table {
    std::map<ScheduleId, ScheduleRow> rows;
    std::set<std::pair<StoreTime, ScheduleId>> by_next_run;  // rows that are not paused
  };
  static void store(Table& table, ScheduleRow row);
  static bool remove(Table& table, ScheduleId schedule);

  std::map<ResourceId, Table> tables_;
};

}  // namespace tenure::schedule_table
