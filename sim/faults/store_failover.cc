// store-failover: the store fails over to a replica that lags. Replication stands still from the strike on; after `lag`
// the primary is gone for good, and the replica is promoted with what it had: all that was committed meanwhile is lost,
// although it was acknowledged. docs/adr/0009-what-a-failover-takes-back.md says what that means for those who judge.
#include <algorithm>

#include "sim/faults/faults.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr FaultParameterSpec kStoreFailoverParameters[] = {
    {.name = "lag",
     .type = FaultParameterSpec::Type::duration,
     .default_text = "2s",
     .choices = {},
     .doc = "from the last commit that the replica has to its promotion, at the latest at the heal"}};

}  // namespace

const FaultKind kStoreFailover = {
    .name = "store-failover",
    .summary =
        "the store fails over, after `lag`, to a replica that has nothing of what is committed from now on",
    .acts = FaultKind::Acts::on_store,
    .family = FaultFamily::failover,
    .harm = {FaultCause::store, Manner::fails_over},
    .parameters = kStoreFailoverParameters,
    // What was under way at the old primary is never answered.
    .breaks =
        [](const FaultSetting&, const Scenario&, const Bounds&) {
          return std::vector{Assumption::no_lost_commits, Assumption::prompt_store};
        },
    .begin =
        [](World& world, const FaultInjection& strike) {
          const TrueTime phase_ends = TrueTime{} + world.scenario().duration;
          const TrueTime fails_over = std::min(world.now() + strike.length("lag"), phase_ends);
          for (const StoreId store : strike.stores) {
            world.store(store).stall_replica();
            world.at(fails_over, [&world, store] { world.fail_over(store); });
          }
        },
    .end = nullptr,
    .in_vain = [](const World& world, const FaultInjection& strike, NodeId) -> const char* {
      const bool again = std::any_of(strike.stores.begin(), strike.stores.end(), [&world](StoreId store) {
        return world.store(store).replica_stalled();
      });
      return again ? "a failover is under way already" : nullptr;
    }};

}  // namespace tenure::sim
