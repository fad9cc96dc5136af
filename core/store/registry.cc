#include "core/store/registry.h"

#include <algorithm>
#include <array>

#include "core/store/house/house_store.h"
#include "core/store/lease_table/lease_table_store.h"
#include "core/store/record/record_store.h"
#include "core/store/schedule_table/schedule_table_store.h"

namespace tenure {

namespace {

template <class Machine>
std::unique_ptr<StoreMachine> make() {
  return std::make_unique<Machine>();
}

constexpr std::array kKinds = {
    StoreKind{"house", "leases with fencing tokens, and schedules, in one database", make<house::HouseStore>,
              RowLock::update},
    StoreKind{"lease-table", "one row a lock, with the database's clock or its users', and no token",
              make<lease_table::LeaseTableStore>, RowLock::no_key_update},
    StoreKind{"record", "a record with a version, written by compare-and-set", make<record::RecordStore>},
    StoreKind{"schedule-table", "rows with next_run, advanced without a guard",
              make<schedule_table::ScheduleTableStore>},
};

}  // namespace

std::span<const StoreKind> store_kinds() { return kKinds; }

const StoreKind* find_store_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &StoreKind::name);
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace tenure
