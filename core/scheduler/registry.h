// The schedulers by name: an explicit table, one row each.
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/instance.h"
#include "core/model/parameters.h"
#include "core/store/registry.h"

namespace tenure {

struct SchedulerSetup {
  StoreId store;
  ResourceId resource;
  Parameters parameters;
};

struct SchedulerKind {
  std::string_view name;
  std::string_view summary;
  const StoreKind* store = nullptr;  // whose machine it needs
  bool keeps_ledger = false;         // that store's ledger says what became of each slot
  Duration paused_step = {};  // a paused schedule's slot is in the ledger after this time at the latest
  bool needs_tokens = false;  // runs only on an elector with fencing tokens from the same store
  std::string_view one_slot_each = {};  // a period, by name: each schedule has one slot done in it
  // How long one slot delays the next of its schedule, besides two answers of the store, if work takes this long. Its
  // claim of caught-up holds only for slots further apart. null: slots do not wait for each other.
  Duration (*slot_delay)(const Parameters&, Duration longest_work) = nullptr;
  std::span<const ParameterSpec> (*parameters)();
  std::vector<Complaint> (*validate)(const Parameters&);
  std::vector<Claim> (*claims)();
  std::unique_ptr<Scheduler> (*make)(const SchedulerSetup&);
};

std::span<const SchedulerKind> scheduler_kinds();
const SchedulerKind* find_scheduler_kind(std::string_view name);  // nullptr when there is none

}  // namespace tenure
