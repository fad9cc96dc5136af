#include "core/scheduler/fenced_outbox/fenced_outbox.h"
#include "core/scheduler/fenced_outbox/segment_planner.h"
#include "core/scheduler/scheduler_kind.h"

namespace tenure {

constinit const SchedulerKind kFencedOutbox = {
    .name = "fenced-outbox",
    .summary = "fires committed under the lease, delivered from an outbox",
    .store = &kReferenceStore,
    .timing = {.stall_timeout = "stall_timeout"},
    .keeps_ledger = true,
    .paused_step = kPausedStep,
    .needs_tokens = true,
    .commit_pace = fenced_outbox_pace,
    .begun_together = fenced_outbox_begun_together,
    .parameters = fenced_outbox_parameters,
    .validate = validate_fenced_outbox,
    .claims = fenced_outbox_claims,
    .make = [](const SchedulerSetup& setup) -> std::unique_ptr<Scheduler> {
      return std::make_unique<FencedOutbox>(setup.store, setup.resource,
                                            FencedOutboxSettings{setup.parameters});
    }};

}  // namespace tenure
