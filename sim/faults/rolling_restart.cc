// rolling-restart: a deploy. One node after the other is stopped and started again, with new settings if given.
#include <memory>

#include "sim/faults/faults.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kYesNo[] = {"no", "yes"};
constexpr FaultParameterSpec kRollingRestartParameters[] = {
    {.name = "grace",
     .type = FaultParameterSpec::Type::duration,
     .default_text = "10s",
     .choices = {},
     .doc = "how long each may take to finish before it is killed"},
    {.name = "gap",
     .type = FaultParameterSpec::Type::duration,
     .default_text = "5s",
     .choices = {},
     .doc = "from the start of one to the stop of the next"},
    {.name = "surge",
     .type = FaultParameterSpec::Type::choice,
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
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::process,
    .harm = {FaultCause::deploy, Manner::stops},
    .needs_target = false,
    .parameters = kRollingRestartParameters,
    .breaks = [](const FaultSetting&, const Scenario&,
                 const Bounds&) { return std::vector{Assumption::no_crash}; },
    .begin =
        [](World& world, const FaultInjection& strike) {
          restart_from(world, std::make_shared<const FaultInjection>(strike), 0);
        },
    .end = nullptr,
    .takes =
        [](const FaultInjection& strike) {
          return strike.length("gap") * (static_cast<std::int64_t>(strike.nodes.size()) - 1);
        }};

}  // namespace tenure::sim
