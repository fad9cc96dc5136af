// poison-definition: the program that the target runs cannot read some schedules' definitions: an older release, which
// does not know a kind of rule or a field, or one that was deployed without time zones. It is started with that
// program, and at the end with the right one.
#include <array>

#include "sim/faults/faults.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr std::array<std::string_view, 3> kWhich = {"first", "last", "all"};
constexpr FaultParameterSpec kPoisonDefinitionParameters[] = {
    {.name = "which",
     .type = FaultParameterSpec::Type::choice,
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

const FaultKind kPoisonDefinition = {
    .name = "poison-definition",
    .summary = "the target is started with a program that cannot read the definitions of `which` schedules",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::process,
    .harm = {FaultCause::deploy, Manner::stops_again},
    .lasts = true,
    .parameters = kPoisonDefinitionParameters,
    .breaks = [](const FaultSetting&, const Scenario&,
                 const Bounds&) { return std::vector{Assumption::no_crash}; },
    .begin = misread,
    .end = read_again,
    .in_vain = [](const World& world, const FaultInjection&, NodeId) -> const char* {
      const bool reads = world.scenario().scheduler != nullptr && !world.scenario().schedules.empty() &&
                         offers(world.scenario().scheduler->store, &StoreKind::keeps_changes);
      return reads ? nullptr : "its instances read no change feed";
    }};

}  // namespace tenure::sim
