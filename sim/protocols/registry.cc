#include "sim/protocols/registry.h"

#include "sim/protocols/client_go/client_go.h"
#include "sim/protocols/db_lease/db_lease.h"
#include "sim/protocols/heartbeat_lock/heartbeat_lock.h"
#include "sim/protocols/in_memory/in_memory.h"
#include "sim/protocols/placement/placement.h"
#include "sim/protocols/ticker/ticker.h"
#include "sim/protocols/token_ring/token_ring.h"
#include "sim/protocols/writer/writer.h"
#include "sim/stores/registry.h"

namespace tenure {
namespace {

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

// What is due waits for the next tick first.
Duration ticking_progress_bound(const Parameters& settings, Duration answer) {
  return settings.duration("tick_period") + usual_progress_bound(settings, answer);
}

std::unique_ptr<Scheduler> make_writer(const SchedulerSetup& setup) {
  return std::make_unique<Writer>(setup.resource, setup.parameters.duration("write_period"));
}

constinit const SchedulerKind kTicker = {
    .name = "ticker",
    .summary = "a loop that runs what is due every second while it believes to lead",
    .store = &kScheduleTableStore,
    .keeps_ledger = false,
    .needs_tokens = false,
    .progress_bound = ticking_progress_bound,
    .one_slot_each = "tick_period",
    .slot_delay = ticker_slot_delay,
    .parameters = ticker_parameters,
    .validate = validate_ticker,
    .claims = ticker_claims,
    .make = make_ticker};
constinit const SchedulerKind kInMemory = {
    .name = "in-memory",
    .summary = "every instance holds all schedules; the leader at the tick fires what is due",
    .store = &kReferenceStore,
    .keeps_ledger = false,
    .needs_tokens = false,
    .progress_bound = ticking_progress_bound,
    .one_slot_each = "tick_period",
    .parameters = in_memory_parameters,
    .validate = validate_in_memory,
    .claims = in_memory_claims,
    .make = make_in_memory};
constinit const SchedulerKind kPlacement = {
    .name = "placement",
    .summary = "a controller that assigns items to workers; each instance is a worker as well",
    .store = &kPlacementStore,
    .parameters = placement_parameters,
    .validate = validate_placement,
    .claims = placement_claims,
    .make = make_placement,
    .places_items = true};
constinit const SchedulerKind kWriter = {
    .name = "writer",
    .summary = "a leader that writes to the outside world every second while it believes to lead",
    .parameters = writer_parameters,
    .make = make_writer,
    .writes = true};

constexpr std::reference_wrapper<const ElectorKind> kElectors[] = {kFencedLease, kDbLease, kHeartbeatLock,
                                                                   kClientGo, kTokenRing};
constexpr std::reference_wrapper<const SchedulerKind> kSchedulers[] = {kFencedOutbox, kTicker, kInMemory,
                                                                       kPlacement, kWriter};

template <class Kind, std::size_t kCount>
const Kind* find(const std::reference_wrapper<const Kind> (&kinds)[kCount], std::string_view name) {
  for (const Kind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace

std::span<const std::reference_wrapper<const ElectorKind>> elector_kinds() { return kElectors; }
const ElectorKind* find_elector_kind(std::string_view name) { return find(kElectors, name); }

std::span<const std::reference_wrapper<const SchedulerKind>> scheduler_kinds() { return kSchedulers; }
const SchedulerKind* find_scheduler_kind(std::string_view name) { return find(kSchedulers, name); }

}  // namespace tenure
