// crash-loop: the process dies and is started again, over and over (a bad deploy, a poisoned row, too little memory).
#include <algorithm>
#include <memory>

#include "sim/faults/faults.h"
#include "sim/faults/processes.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr FaultParameterSpec kCrashLoopParameters[] = {
    {.name = "up",
     .type = FaultParameterSpec::Type::duration,
     .default_text = "5s",
     .choices = {},
     .doc = "how long it runs before it dies again"},
    {.name = "down",
     .type = FaultParameterSpec::Type::duration,
     .default_text = "1s",
     .choices = {},
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

const FaultKind kCrashLoop = {
    .name = "crash-loop",
    .summary =
        "the process dies at once, is gone for `down`, runs for `up`, and dies again, for as long as it "
        "lasts",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::process,
    .harm = {FaultCause::crash, Manner::stops_again},
    .lasts = true,
    .parameters = kCrashLoopParameters,
    .breaks = [](const FaultSetting&, const Scenario&,
                 const Bounds&) { return std::vector{Assumption::no_crash}; },
    .begin =
        [](World& world, const FaultInjection& strike) {
          const auto shared = std::make_shared<const FaultInjection>(strike);
          for (const NodeId node : strike.nodes) crash(world, shared, node);
        },
    .end =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).release(strike.id);
        },
    .in_vain = [](const World& world, const FaultInjection& strike,
                  NodeId node) { return down_anyway(world, node, strike.until); },
    .takes = [](const FaultInjection& strike) { return strike.length("down") + strike.length("up"); }};

}  // namespace tenure::sim
