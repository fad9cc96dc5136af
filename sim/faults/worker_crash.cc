// worker-crash: a worker dies, with its work, and starts again. Of what it had claimed it knows nothing then.
#include "sim/faults/faults.h"
#include "sim/faults/workers.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kWorkerCrashParameters[] = {kWhichWorker};
}

const FaultKind kWorkerCrash = {
    .name = "worker-crash",
    .summary = "a worker dies, with its work, and starts again at the end",
    .acts = FaultKind::Acts::on_workers,
    .family = FaultFamily::process,
    .harm = {FaultCause::other, Manner::spares},
    .lasts = true,
    .needs_target = false,
    .parameters = kWorkerCrashParameters,
    .breaks = break_nothing,
    .begin = [](World& world,
                const FaultInjection& strike) { world.workers().crash(strike.id, strike.choice("worker")); },
    .end = [](World& world, const FaultInjection& strike) { world.workers().restart(strike.id); }};

}  // namespace tenure::sim
