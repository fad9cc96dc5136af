// worker-stop: a worker is asked to stop, as it is when it is deployed anew. It claims no more, may finish what it
// works on within `grace`, and gives the rest back.
#include "sim/faults/faults.h"
#include "sim/faults/workers.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kWorkerStopParameters[] = {
    kWhichWorker,
    {.name = "grace",
     .type = FaultParameterSpec::Type::duration,
     .default_text = "0s",
     .choices = {},
     .doc = "for how long it goes on with what it has, before it gives that back"}};
}

const FaultKind kWorkerStop = {
    .name = "worker-stop",
    .summary = "a worker is asked to stop, gives back what it has not done, and starts again at the end",
    .acts = FaultKind::Acts::on_workers,
    .family = FaultFamily::process,
    .harm = {FaultCause::other, Manner::spares},
    .lasts = true,
    .needs_target = false,
    .parameters = kWorkerStopParameters,
    .breaks = break_nothing,
    .begin =
        [](World& world, const FaultInjection& strike) {
          world.workers().stop(strike.id, strike.choice("worker"), strike.length("grace"));
        },
    .end = [](World& world, const FaultInjection& strike) { world.workers().restart(strike.id); }};

}  // namespace tenure::sim
