#include "core/scheduler/registry.h"

#include "core/scheduler/fenced_outbox/fenced_outbox.h"
#include "core/scheduler/fenced_outbox/segment_planner.h"
#include "core/scheduler/in_memory/in_memory.h"
#include "core/scheduler/placement/placement.h"
#include "core/scheduler/ticker/ticker.h"
#include "core/scheduler/writer/writer.h"

namespace tenure {
namespace {

std::unique_ptr<Scheduler> make_fenced_outbox(const SchedulerSetup& setup) {
  return std::make_unique<FencedOutbox>(setup.store, setup.resource, FencedOutboxSettings{setup.parameters});
}

std::unique_ptr<Scheduler> make_ticker(const SchedulerSetup& setup) {
  const Ticker::Settings settings{.tick_period = setup.parameters.duration("tick_period"),
                                  .request_timeout = setup.parameters.duration("request_timeout"),
                                  .advance_first = setup.parameters.flag("advance_first")};
  return std::make_unique<Ticker>(setup.store, setup.resource, settings);
}

std::unique_ptr<Scheduler> make_in_memory(const SchedulerSetup& setup) {
  const InMemory::Settings settings{.tick_period = setup.parameters.duration("tick_period"),
                                    .request_timeout = setup.parameters.duration("request_timeout")};
  return std::make_unique<InMemory>(setup.store, setup.resource, settings);
}

std::unique_ptr<Scheduler> make_placement(const SchedulerSetup& setup) {
  return std::make_unique<Placement>(setup.store, setup.resource, setup.parameters);
}

std::unique_ptr<Scheduler> make_writer(const SchedulerSetup& setup) {
  return std::make_unique<Writer>(setup.resource, setup.parameters.duration("write_period"));
}

constexpr SchedulerKind kKinds[] = {
    {.name = "fenced-outbox",
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
     .make = make_fenced_outbox},
    {.name = "ticker",
     .summary = "a loop that runs what is due every second while it believes to lead",
     .store = &kScheduleTableStore,
     .keeps_ledger = false,
     .needs_tokens = false,
     .one_slot_each = "tick_period",
     .slot_delay = ticker_slot_delay,
     .parameters = ticker_parameters,
     .validate = validate_ticker,
     .claims = ticker_claims,
     .make = make_ticker},
    {.name = "in-memory",
     .summary = "every instance holds all schedules; the leader at the tick fires what is due",
     .store = &kReferenceStore,
     .keeps_ledger = false,
     .needs_tokens = false,
     .one_slot_each = "tick_period",
     .parameters = in_memory_parameters,
     .validate = validate_in_memory,
     .claims = in_memory_claims,
     .make = make_in_memory},
    {.name = "placement",
     .summary = "a controller that assigns items to workers; each instance is a worker as well",
     .store = &kPlacementStore,
     .parameters = placement_parameters,
     .validate = validate_placement,
     .claims = placement_claims,
     .make = make_placement,
     .places_items = true},
    {.name = "writer",
     .summary = "a leader that writes to the outside world every second while it believes to lead",
     .parameters = writer_parameters,
     .make = make_writer,
     .writes = true},
};

}  // namespace

std::span<const SchedulerKind> scheduler_kinds() { return kKinds; }

const SchedulerKind* find_scheduler_kind(std::string_view name) {
  for (const SchedulerKind& kind : kKinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace tenure
