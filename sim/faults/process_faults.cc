// What happens to processes: they die, stop, stand still, or are starved of CPU.
#include <algorithm>
#include <array>
#include <memory>

#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

using enum FaultParameterSpec::Type;

// FaultKind::begin: holds each target, in this way, until the strike's end.
template <void (SimProcess::*kHold)(std::uint64_t, TrueTime)>
void hold(World& world, const FaultInjection& strike) {
  for (const NodeId node : strike.nodes) (world.process(node).*kHold)(strike.id, strike.until);
}

// FaultKind::end: lets each target go.
template <void (SimProcess::*kLetGo)(std::uint64_t)>
void let_go(World& world, const FaultInjection& strike) {
  for (const NodeId node : strike.nodes) (world.process(node).*kLetGo)(strike.id);
}

// FaultKind::in_vain, for a fault that holds the process down until `until`.
const char* down_until(const World& world, NodeId node, TrueTime until) {
  const SimProcess& process = world.process(node);
  return !process.alive() && process.down_until() >= until ? "its target is down already" : nullptr;
}
const char* down_anyway(const World& world, const FaultInjection& strike, NodeId node) {
  return down_until(world, node, strike.until);
}

}  // namespace

const FaultKind kKill = {.name = "kill",
                         .summary = "the process dies at once; with a duration, it starts again after it",
                         .family = FaultFamily::process,
                         .harm = {FaultCause::crash, Manner::stops},
                         .lasts = true,
                         .breaks = breaking<Assumption::no_crash>,
                         .begin = hold<&SimProcess::kill>,
                         .end = let_go<&SimProcess::release>,
                         .in_vain = down_anyway};

namespace {

constexpr FaultParameterSpec kRestartParameters[] = {
    {.name = "down", .type = duration, .default_text = "1s", .doc = "how long the process is gone"}};

// The heal would start it again as well.
TrueTime end_of_restart(const World& world, const FaultInjection& strike) {
  return std::min(world.now() + strike.length("down"), TrueTime{} + world.scenario().duration);
}

void restart(World& world, const FaultInjection& strike) {
  for (const NodeId node : strike.nodes) {
    world.process(node).kill(strike.id, end_of_restart(world, strike));
    world.at(world.now() + strike.length("down"),
             [&world, node, id = strike.id] { world.process(node).release(id); });
  }
}

}  // namespace

const FaultKind kRestart = {
    .name = "restart",
    .summary = "the process dies at once, and starts again after `down`",
    .family = FaultFamily::process,
    .harm = {FaultCause::crash, Manner::stops},
    .parameters = kRestartParameters,
    .breaks = breaking<Assumption::no_crash>,
    .begin = restart,
    .in_vain = [](const World& world, const FaultInjection& strike,
                  NodeId node) { return down_until(world, node, end_of_restart(world, strike)); },
    .takes = [](const FaultInjection& strike) { return strike.length("down"); }};

namespace {

constexpr FaultParameterSpec kStopParameters[] = {
    {.name = "grace",
     .type = duration,
     .default_text = "10s",
     .doc = "how long it may take to finish before it is killed"}};

void stop(World& world, const FaultInjection& strike) {
  for (const NodeId node : strike.nodes)
    world.process(node).stop(strike.id, strike.until, strike.length("grace"), nullptr);
}

}  // namespace

const FaultKind kStop = {
    .name = "stop",
    .summary =
        "the process is asked to stop, and killed after `grace`; with a duration, it starts again after it",
    .family = FaultFamily::process,
    .harm = {FaultCause::deploy, Manner::stops},
    .lasts = true,
    .parameters = kStopParameters,
    .breaks = breaking<Assumption::no_crash>,
    .begin = stop,
    .end = let_go<&SimProcess::release>,
    .in_vain = down_anyway};

namespace {

constexpr std::string_view kYesNo[] = {"no", "yes"};
constexpr FaultParameterSpec kRollingRestartParameters[] = {
    {.name = "grace",
     .type = duration,
     .default_text = "10s",
     .doc = "how long each may take to finish before it is killed"},
    {.name = "gap",
     .type = duration,
     .default_text = "5s",
     .doc = "from the start of one to the stop of the next"},
    {.name = "surge",
     .type = choice,
     .default_text = "no",
     .choices = kYesNo,
     .doc = "the next process is brought up before this one is "
            "stopped: its `startup` costs nothing"}};

// Restarts the strike's node number `next`, and then those after it. A deploy does not go on into the tail.
void restart_from(World& world, const std::shared_ptr<const FaultInjection>& strike, std::size_t next) {
  if (next == strike->nodes.size() || world.now() >= TrueTime{} + world.scenario().duration) return;
  const NodeId node = strike->nodes[next];
  world.process(node).stop(strike->id, world.now(), strike->length("grace"), [&world, strike, node, next] {
    if (strike->setting->with_election) world.set_election(node, *strike->setting->with_election);
    const bool surge = strike->choice("surge") == "yes";
    world.at(world.now(), [&world, strike, node, surge] {
      if (surge) return world.process(node).release_brought_up(strike->id);
      world.process(node).release(strike->id);
    });
    const Duration up = surge ? Duration{} : world.scenario().work.program.startup;
    world.at(world.now() + up + strike->length("gap"),
             [&world, strike, next] { restart_from(world, strike, next + 1); });
  });
}

}  // namespace

const FaultKind kRollingRestart = {
    .name = "rolling-restart",
    .summary = "a deploy: each node in turn is stopped and started again, with the settings of `with`",
    .family = FaultFamily::process,
    .harm = {FaultCause::deploy, Manner::stops},
    .needs_target = false,
    .parameters = kRollingRestartParameters,
    .breaks = breaking<Assumption::no_crash>,
    .begin =
        [](World& world, const FaultInjection& strike) {
          restart_from(world, std::make_shared<const FaultInjection>(strike), 0);
        },
    .takes =
        [](const FaultInjection& strike) {
          return strike.length("gap") * (static_cast<std::int64_t>(strike.nodes.size()) - 1);
        }};

namespace {

constexpr FaultParameterSpec kCrashLoopParameters[] = {
    {.name = "up", .type = duration, .default_text = "5s", .doc = "how long it runs before it dies again"},
    {.name = "down",
     .type = duration,
     .default_text = "1s",
     // Less would have a hunt spend its time on tens of thousands of
     // starts in a single case.
     .drawn_from = kRestartDelay,
     .doc = "how long it is gone each time"}};

// A loop of no length at all would never come to its end.
constexpr Duration kShortest = Duration::millis(1);

// One round: dead from now on, and running again until the next. The fault's end lets go whatever the loop has come
// to, so it ends running; the loop itself knows when that is, and kills nobody from then on.
void crash(World& world, const std::shared_ptr<const FaultInjection>& strike, NodeId node) {
  if (world.now() >= strike->until) return;
  const TrueTime starts = world.now() + std::max(strike->length("down"), kShortest);
  world.process(node).kill(strike->id, std::min(starts, strike->until));
  if (starts >= strike->until) return;
  world.at(starts, [&world, strike, node] {
    world.process(node).release(strike->id);
    world.at(world.now() + std::max(strike->length("up"), kShortest),
             [&world, strike, node] { crash(world, strike, node); });
  });
}

}  // namespace

// A bad deploy, a poisoned row, too little memory.
const FaultKind kCrashLoop = {
    .name = "crash-loop",
    .summary =
        "the process dies at once, is gone for `down`, runs for `up`, and dies again, for as long as it "
        "lasts",
    .family = FaultFamily::process,
    .harm = {FaultCause::crash, Manner::stops_again},
    .lasts = true,
    .parameters = kCrashLoopParameters,
    .breaks = breaking<Assumption::no_crash>,
    .begin =
        [](World& world, const FaultInjection& strike) {
          const auto shared = std::make_shared<const FaultInjection>(strike);
          for (const NodeId node : strike.nodes) crash(world, shared, node);
        },
    .end = let_go<&SimProcess::release>,
    .in_vain = down_anyway,
    .takes = [](const FaultInjection& strike) { return strike.length("down") + strike.length("up"); }};

namespace {

constexpr std::array<std::string_view, 3> kWhich = {"first", "last", "all"};
constexpr FaultParameterSpec kPoisonDefinitionParameters[] = {
    {.name = "which",
     .type = choice,
     .default_text = "first",
     .choices = kWhich,
     .doc = "which of the file's schedules it cannot read"}};

std::vector<ScheduleId> schedules_of(const Scenario& scenario, std::string_view which) {
  const auto count = static_cast<std::uint32_t>(scenario.schedules.size());
  std::vector<ScheduleId> found;
  for (std::uint32_t i = 0; i < count; ++i)
    if (which == "all" || i == (which == "first" ? 0 : count - 1)) found.push_back(ScheduleId{i});
  return found;
}

void start_anew(World& world, const FaultInjection& strike, NodeId node) {
  if (!world.process(node).alive()) return;
  world.process(node).kill(strike.id, world.now());
  world.process(node).release(strike.id);
}

void misread(World& world, const FaultInjection& strike) {
  for (const NodeId node : strike.nodes) {
    world.misread(strike.id, node, schedules_of(world.scenario(), strike.choice("which")));
    start_anew(world, strike, node);
  }
}

void read_again(World& world, const FaultInjection& strike) {
  world.read_again(strike.id);
  for (const NodeId node : strike.nodes) start_anew(world, strike, node);
}

}  // namespace

// An older release, which does not know a kind of rule or a field, or one that was deployed without time zones. The
// target is started with that program, and at the end with the right one.
const FaultKind kPoisonDefinition = {
    .name = "poison-definition",
    .summary = "the target is started with a program that cannot read the definitions of `which` schedules",
    .family = FaultFamily::process,
    .harm = {FaultCause::deploy, Manner::stops_again},
    .lasts = true,
    .parameters = kPoisonDefinitionParameters,
    .breaks = breaking<Assumption::no_crash>,
    .begin = misread,
    .end = read_again,
    .in_vain = [](const World& world, const FaultInjection&, NodeId) -> const char* {
      const bool reads = world.scenario().scheduler != nullptr && !world.scenario().schedules.empty() &&
                         offers(world.scenario().scheduler->store, &StoreKind::keeps_changes);
      return reads ? nullptr : "its instances read no change feed";
    }};

// A long collection, SIGSTOP, a starved container.
const FaultKind kPause = {
    .name = "pause",
    .summary = "the process stands still while its clocks run on",
    .family = FaultFamily::pause,
    .harm = {FaultCause::pause, Manner::stops},
    .lasts = true,
    // As long as an effect takes to leave anyway is noise of scheduling.
    .breaks =
        [](const FaultSetting& fault, const Scenario& scenario, const Bounds&) {
          const bool noise = fault.duration && fault.duration->high <= scenario.departure.max();
          return noise ? std::vector<Assumption>{} : std::vector{Assumption::no_pause};
        },
    .begin = hold<&SimProcess::pause>,
    .end = let_go<&SimProcess::resume>,
    .in_vain = [](const World& world, const FaultInjection& strike, NodeId node) -> const char* {
      if (!world.process(node).alive()) return "its target is not running";
      return world.process(node).paused_until() >= strike.until ? "its target already stands still" : nullptr;
    }};

// A migration, a snapshot. The monotonic clock does not know of it. When the machine runs again, its wall clock is set
// right at once, as the host's tools do: it jumps forward by what was lost.
const FaultKind kVmPause = {
    .name = "vm-pause",
    .summary =
        "the virtual machine is suspended: the process and its monotonic clock stand still, its wall clock "
        "jumps to what is right afterwards",
    .family = FaultFamily::pause,
    .harm = {FaultCause::pause, Manner::stops},
    .lasts = true,
    // Whoever reads the wall clock, before or after, finds it in step. A clock that stops now and then does not run at
    // the rate of the others.
    .breaks = breaking<Assumption::no_pause, Assumption::no_mono_freeze, Assumption::rates_equal>,
    .begin = hold<&SimProcess::suspend>,
    .end = let_go<&SimProcess::wake>,
    .in_vain = [](const World& world, const FaultInjection& strike, NodeId node) -> const char* {
      if (!world.process(node).alive()) return "its target is not running";
      return world.process(node).suspended_until() >= strike.until ? "its target is suspended already"
                                                                   : nullptr;
    }};

namespace {

constexpr FaultParameterSpec kSlowNodeParameters[] = {
    {.name = "by",
     .type = duration,
     .doc = "each input and each effect is late by up to this much, drawn anew for each"}};

// Every step comes late, timers and messages included: that is a pause, if a short one, and no message is in time.
std::vector<Assumption> slow_node_breaks(const FaultSetting& fault, const Scenario& scenario,
                                         const Bounds& bounds) {
  std::vector<Assumption> broken = {Assumption::no_pause, Assumption::reliable_network};
  // Late as it leaves, and late as it is heard.
  if (may_outlast_a_request(scenario, bounds, longest(fault, "by") * 2))
    broken.push_back(Assumption::prompt_store);
  return broken;
}

}  // namespace

// A noisy neighbour, a throttled container: the node never stands still.
const FaultKind kSlowNode = {
    .name = "slow-node",
    .summary =
        "the node is starved of CPU: each input reaches it, and each effect leaves it, late by up to `by`",
    .family = FaultFamily::pause,
    .harm = {FaultCause::slow, Manner::hinders},
    .lasts = true,
    .parameters = kSlowNodeParameters,
    .breaks = slow_node_breaks,
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).starve(strike.id, strike.length("by"));
        },
    .end =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).starve(strike.id, Duration{});
        },
    .lingers = [](const FaultSetting& fault) { return longest(fault, "by") * 2; }};

}  // namespace tenure::sim
