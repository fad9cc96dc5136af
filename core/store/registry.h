// The store machines by name: an explicit table, one row each.
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/store/store_machine.h"

namespace tenure {

struct StoreKind {
  std::string_view name;  // "house", "lease-table", "record", "schedule-table"
  std::string_view summary;
  std::unique_ptr<StoreMachine> (*make)();
  RowLock strongest_lease_lock = RowLock::none;  // of what any of its requests takes
};

std::span<const StoreKind> store_kinds();
const StoreKind* find_store_kind(std::string_view name);  // nullptr when there is none

}  // namespace tenure
