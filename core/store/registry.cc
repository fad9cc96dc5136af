#include "core/store/registry.h"

#include <algorithm>
#include <array>

#include "core/store/lease_table/lease_table_store.h"
#include "core/store/record/record_store.h"
#include "core/store/reference/reference_store.h"
#include "core/store/schedule_table/schedule_table_store.h"

namespace tenure {

namespace {

template <class Machine>
std::unique_ptr<StoreMachine> make() {
  return std::make_unique<Machine>();
}

constexpr std::array kKinds = {
    StoreKind{
        .name = "reference",
        .summary = "leases with fencing tokens, and schedules, in one database",
        .make = make<reference::ReferenceStore>,
        .strongest_lease_lock = RowLock::update,
        .issues_tokens = true,
        .keeps_changes = true,
        .put_schedule =
            [](ResourceId resource, ScheduleId schedule, const Definition& definition) {
              return Request{reference::Request{reference::PutSchedule{resource, schedule, 0, definition}}};
            },
        .may_run_on_engines = true},
    StoreKind{.name = "lease-table",
              .summary = "one row a lock, with the database's clock or its users', and no token",
              .make = make<lease_table::LeaseTableStore>,
              .strongest_lease_lock = RowLock::no_key_update},
    StoreKind{.name = "record",
              .summary = "a record with a version, written by compare-and-set",
              .make = make<record::RecordStore>},
    StoreKind{
        .name = "schedule-table",
        .summary = "rows with next_run, advanced without a guard",
        .make = make<schedule_table::ScheduleTableStore>,
        .put_schedule =
            [](ResourceId resource, ScheduleId schedule, const Definition& definition) {
              return Request{schedule_table::Request{schedule_table::PutRow{resource, schedule, definition}}};
            }},
};

}  // namespace

std::span<const StoreKind> store_kinds() { return kKinds; }

const StoreKind* find_store_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &StoreKind::name);
  return found == kKinds.end() ? nullptr : &*found;
}

bool offers(std::string_view store, bool StoreKind::*what) {
  const StoreKind* kind = find_store_kind(store);
  return kind != nullptr && kind->*what;
}

}  // namespace tenure
