#include "sim/stores/schedule_table/schedule_table_store.h"

namespace tenure::schedule_table {

Reply ScheduleTableStore::answer(const ReadRuns& asked, StoreTime now) {
  Runs runs;
  const Table& table = tables_[asked.resource];
  for (const auto& [next_run, schedule] : table.by_next_run) {
    if (next_run > now || next_run == StoreTime::max() || runs.rows.size() >= asked.limit) break;
    runs.rows.push_back(table.rows.at(schedule));
  }
  return runs;
}

Reply ScheduleTableStore::answer(const SetNextRun& asked, StoreTime) {
  Table& table = tables_[asked.resource];
  const auto found = table.rows.find(asked.schedule);
  if (found == table.rows.end()) return Written{.found = false};
  ScheduleRow row = found->second;
  row.next_run = asked.next_run;
  store(table, row);
  return Written{};
}

Reply ScheduleTableStore::answer(const PutRow& asked, StoreTime now) {
  const StoreTime next = slot_at_or_after(asked.definition, now).value_or(StoreTime::max());
  store(tables_[asked.resource],
        ScheduleRow{.schedule = asked.schedule, .definition = asked.definition, .next_run = next});
  return Written{};
}

Reply ScheduleTableStore::answer(const DeleteRow& asked, StoreTime) {
  return Written{.found = remove(tables_[asked.resource], asked.schedule)};
}

void ScheduleTableStore::store(Table& table, ScheduleRow row) {
  remove(table, row.schedule);
  if (!row.definition.paused) table.by_next_run.emplace(row.next_run, row.schedule);
  table.rows.emplace(row.schedule, row);
}

bool ScheduleTableStore::remove(Table& table, ScheduleId schedule) {
  const auto found = table.rows.find(schedule);
  if (found == table.rows.end()) return false;
  table.by_next_run.erase({found->second.next_run, schedule});
  table.rows.erase(found);
  return true;
}

void ScheduleTableStore::hash(Hasher& hasher, StoreTime) const {
  for (const auto& [resource, table] : tables_) {
    for (const auto& [schedule, row] : table.rows) {
      hasher.add(resource).add(schedule).add(row.next_run);
      add(hasher, row.definition);
    }
  }
}

}  // namespace tenure::schedule_table
