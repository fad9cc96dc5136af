// store-lock-held: a transaction that stalled half way holds a lock on the lease row, and whoever needs the row waits
// at the server, holding a place as a connection does. When the lock goes, what waited is executed, at the store's time
// then. Which request locks the row, and how, each store machine says (core/store/row_lock.h). A transaction dies with
// its server: when that fails over or goes down, its lock is gone.
#include <string_view>

#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/faults/stores.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kModes[] = {"share", "exclusive"};

constexpr FaultParameterSpec kStoreLockHeldParameters[] = {
    {.name = "mode",
     .type = FaultParameterSpec::Type::choice,
     .default_text = "exclusive",
     .choices = kModes,
     .doc = "share: as a stalled commit of fires (FOR KEY SHARE), stops what changes the holder, but neither "
            "renewals "
            "nor commits; exclusive: as a stalled acquire (FOR UPDATE), stops all that touches the row"}};

RowLock lock_of(std::string_view mode) { return mode == "share" ? RowLock::key_share : RowLock::update; }

std::vector<Assumption> lock_held_breaks(const FaultSetting& fault, const Scenario& scenario,
                                         const Bounds& bounds) {
  if (fault.duration && !may_outlast_a_request(scenario, bounds, fault.duration->high)) return {};
  return {Assumption::prompt_store};
}

}  // namespace

const FaultKind kStoreLockHeld = {
    .name = "store-lock-held",
    .summary =
        "a stalled transaction holds the lease row: what needs it waits at the store until the lock goes",
    .acts = FaultKind::Acts::on_store,
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::hinders},
    .lasts = true,
    .needs_traffic = true,
    .parameters = kStoreLockHeldParameters,
    .breaks = lock_held_breaks,
    .begin =
        [](World& world, const FaultInjection& strike) {
          StoreKnobs knobs;
          knobs.lease_lock = lock_of(strike.choice("mode"));
          turn_stores(world, strike, knobs);
        },
    .end = turn_stores_back,
    .in_vain = [](const World& world, const FaultInjection& strike, NodeId) -> const char* {
      const bool somebody_waits = world.waits_for(lock_of(strike.choice("mode")));
      return somebody_waits ? nullptr : "no request of its protocol waits for such a lock";
    }};

}  // namespace tenure::sim
