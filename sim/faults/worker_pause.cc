// worker-pause: a worker stands still, with its work. What it has claimed may be over when it goes on, and handed out
// to another.
#include "sim/faults/faults.h"
#include "sim/faults/workers.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kWorkerPauseParameters[] = {kWhichWorker};
}

const FaultKind kWorkerPause = {
    .name = "worker-pause",
    .summary = "a worker stands still, with its work",
    .acts = FaultKind::Acts::on_workers,
    .family = FaultFamily::pause,
    .harm = {FaultCause::other, Manner::spares},
    .lasts = true,
    .needs_target = false,
    .parameters = kWorkerPauseParameters,
    .breaks = break_nothing,
    .begin = [](World& world,
                const FaultInjection& strike) { world.workers().pause(strike.id, strike.choice("worker")); },
    .end = [](World& world, const FaultInjection& strike) { world.workers().resume(strike.id); }};

}  // namespace tenure::sim
