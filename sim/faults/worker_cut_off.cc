// worker-cut-off: nothing passes between a worker and the stores. It goes on with its work. Connections hold or lose
// what they carry.
#include <utility>

#include "sim/faults/faults.h"
#include "sim/faults/workers.h"

namespace tenure::sim {
namespace {

constexpr FaultParameterSpec kWorkerCutOffParameters[] = {kWhichWorker};

void cut_off(World& world, const FaultInjection& strike) {
  std::vector<Endpoint> stores;
  for (std::uint32_t i = 0; i < world.store_count(); ++i)
    stores.push_back(world.network().store_endpoint(StoreId{i}));
  LinkRule to;
  to.fault = strike.id;
  to.from = world.workers().endpoints_of(strike.choice("worker"));
  to.to = stores;
  to.block = true;
  LinkRule from = to;
  std::swap(from.from, from.to);
  world.network().add_rule(std::move(to));
  world.network().add_rule(std::move(from));
}

}  // namespace

const FaultKind kWorkerCutOff = {
    .name = "worker-cut-off",
    .summary = "nothing passes between a worker and the store",
    .acts = FaultKind::Acts::on_workers,
    .family = FaultFamily::network,
    .harm = {FaultCause::other, Manner::spares},
    .lasts = true,
    .needs_target = false,
    .parameters = kWorkerCutOffParameters,
    .breaks = break_nothing,
    .begin = cut_off,
    .end = [](World& world, const FaultInjection& strike) { world.network().remove_rules(strike.id); }};

}  // namespace tenure::sim
