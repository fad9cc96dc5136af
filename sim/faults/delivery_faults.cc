// What happens to destinations and workers. None of it breaks an assumption of any claim: leadership, fires and the
// ledger know nothing of them.
#include <utility>

#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

using Type = FaultParameterSpec::Type;

constexpr FaultParameterSpec kWhichDestination = {
    .name = "destination", .type = Type::destination, .default_text = kAllDestinations, .doc = "which one"};
constexpr FaultParameterSpec kWhichWorker = {.name = "worker",
                                             .type = Type::worker,
                                             .default_text = kAllWorkers,
                                             .doc = "which one: of a [[worker]], or one of its processes"};

// FaultKind::begin: turns one knob of the destination that is struck, or of all.
template <auto kKnob>
void turn_destination(World& world, const FaultInjection& strike) {
  const std::string_view name = strike.choice("destination");
  world.destinations().turn(strike.id, name == kAllDestinations ? std::string_view{} : name,
                            turned(kKnob, strike));
}

// What all faults of destinations have in common.
constexpr FaultKind on_destination(FaultKind kind) {
  kind.acts = FaultKind::Acts::on_destinations;
  kind.family = FaultFamily::network;
  kind.lasts = true;
  kind.needs_target = false;
  kind.needs_traffic = true;
  kind.end = [](World& world, const FaultInjection& strike) { world.destinations().turn_back(strike.id); };
  return kind;
}

void restart_worker(World& world, const FaultInjection& strike) { world.workers().restart(strike.id); }

constexpr FaultParameterSpec kDestinationDownParameters[] = {kWhichDestination};
constexpr FaultParameterSpec kDestinationSlowParameters[] = {
    kWhichDestination, {.name = "latency", .type = Type::duration, .doc = "added to its work on each event"}};

}  // namespace

// What it has begun goes on.
constinit const FaultKind kDestinationDown =
    on_destination({.name = "destination-down",
                    .summary = "a destination refuses whatever is sent to it",
                    .harm = {FaultCause::other, Manner::spares},
                    .parameters = kDestinationDownParameters,
                    .breaks = breaking<>,
                    .begin = turn_destination<&Destinations::Knobs::down>});

// Beyond its time-out perhaps, and so it works on more of them at a time.
constinit const FaultKind kDestinationSlow =
    on_destination({.name = "destination-slow",
                    .summary = "a destination takes `latency` longer for each event",
                    .harm = {FaultCause::other, Manner::spares},
                    .parameters = kDestinationSlowParameters,
                    .breaks = breaking<>,
                    .begin = turn_destination<&Destinations::Knobs::slow>,
                    .lingers = longest_latency});

namespace {

constexpr FaultParameterSpec kWorkerParameters[] = {kWhichWorker};
constexpr FaultParameterSpec kWorkerStopParameters[] = {
    kWhichWorker,
    {.name = "grace",
     .type = Type::duration,
     .default_text = "0s",
     .doc = "for how long it goes on with what it has, before it gives that back"}};

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

// What all of these have in common.
constexpr FaultKind on_worker(std::string_view name, std::string_view summary, FaultFamily family,
                              decltype(FaultKind::begin) begin, decltype(FaultKind::end) end,
                              decltype(FaultKind::parameters) parameters = kWorkerParameters) {
  return {.name = name,
          .summary = summary,
          .acts = FaultKind::Acts::on_workers,
          .family = family,
          .harm = {FaultCause::other, Manner::spares},
          .lasts = true,
          .needs_target = false,
          .parameters = parameters,
          .breaks = breaking<>,
          .begin = begin,
          .end = end};
}

}  // namespace

// What it has claimed may be over when it goes on, and handed out to another.
constinit const FaultKind kWorkerPause = on_worker(
    "worker-pause", "a worker stands still, with its work", FaultFamily::pause,
    [](World& world, const FaultInjection& strike) {
      world.workers().pause(strike.id, strike.choice("worker"));
    },
    [](World& world, const FaultInjection& strike) { world.workers().resume(strike.id); });

// Of what it had claimed it knows nothing when it starts again.
constinit const FaultKind kWorkerCrash = on_worker(
    "worker-crash", "a worker dies, with its work, and starts again at the end", FaultFamily::process,
    [](World& world, const FaultInjection& strike) {
      world.workers().crash(strike.id, strike.choice("worker"));
    },
    restart_worker);

// It goes on with its work. Connections hold or lose what they carry.
constinit const FaultKind kWorkerCutOff = on_worker(
    "worker-cut-off", "nothing passes between a worker and the store", FaultFamily::network, cut_off,
    [](World& world, const FaultInjection& strike) { world.network().remove_rules(strike.id); });

// As it is when it is deployed anew. It claims no more, may finish what it works on within `grace`, and gives the rest
// back.
constinit const FaultKind kWorkerStop = on_worker(
    "worker-stop", "a worker is asked to stop, gives back what it has not done, and starts again at the end",
    FaultFamily::process,
    [](World& world, const FaultInjection& strike) {
      world.workers().stop(strike.id, strike.choice("worker"), strike.length("grace"));
    },
    restart_worker, kWorkerStopParameters);

}  // namespace tenure::sim
