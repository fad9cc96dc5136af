// store-minority: the store's servers cannot reach each other, and the target reaches a minority of them only. Where
// the old leader is decides what that minority still answers: sim/stores/etcd/README.md.
#include <algorithm>
#include <array>
#include <string_view>

#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr std::array<std::string_view, 3> kLeaders = {"cut-off", "stalled", "elsewhere"};
constexpr std::array<std::string_view, 3> kConfirms = {"never", "stalled", "always"};
constexpr FaultParameterSpec kStoreMinorityParameters[] = {
    {.name = "leader",
     .type = FaultParameterSpec::Type::choice,
     .default_text = "cut-off",
     .choices = kLeaders,
     .doc = "the store's leader is cut off with the target, and `notices`; or it is one whose disk stands "
            "still, does not notice before the end, and then revokes what it has not seen renewed; or it is "
            "elsewhere"},
    {.name = "elects",
     .type = FaultParameterSpec::Type::duration,
     .default_text = "1s..2s",
     .choices = {},
     .doc = "until the majority has a new leader, if it needs one"},
    {.name = "notices",
     .type = FaultParameterSpec::Type::duration,
     .default_text = "1s..2s",
     .choices = {},
     .doc = "for how long a leader that is cut off answers renewals"},
    {.name = "confirms",
     .type = FaultParameterSpec::Type::choice,
     .default_text = "never",
     .choices = kConfirms,
     .doc = "which leader asks a majority before it renews or revokes a lease: none (etcd before 3.4.31, "
            "3.5.13 and 3.6.0), one that has stood still (from 3.4.34, 3.5.16 and 3.6.0 on), or each (in "
            "between)"}};

// What a new leader adds to each lease makes up for the renewals that the old one answered meanwhile, if the old one
// notices early enough. Otherwise what was acknowledged is lost.
constexpr Duration kExtension = Duration::seconds(1);

std::string_view choice_of(const FaultSetting& fault, std::string_view name) {
  const auto found = std::ranges::find(fault.parameters, name, &FaultParameter::name);
  return std::get<std::string>(found->value);
}

bool confirms(std::string_view leader, std::string_view which) {
  return which == "always" || (which == "stalled" && leader == "stalled");
}

Range<Duration> range_of(const FaultSetting& fault, std::string_view name) {
  const auto found = std::ranges::find(fault.parameters, name, &FaultParameter::name);
  return std::get<Range<Duration>>(found->value);
}

std::vector<Assumption> minority_breaks(const FaultSetting& fault, const Scenario&, const Bounds&) {
  const bool notices_early = range_of(fault, "notices").high <= range_of(fault, "elects").low + kExtension;
  const std::string_view leader = choice_of(fault, "leader");
  if (leader == "elsewhere" || (leader == "cut-off" && notices_early) ||
      confirms(leader, choice_of(fault, "confirms")))
    return {Assumption::prompt_store};
  return {Assumption::prompt_store, Assumption::no_lost_commits};
}

void part_servers(World& world, const FaultInjection& strike) {
  const std::string_view leader = strike.choice("leader");
  for (const StoreId store : strike.stores) {
    world.store(store).part_servers(
        strike.id, {strike.nodes, leader != "elsewhere", confirms(leader, strike.choice("confirms"))});
    if (leader == "elsewhere") continue;
    world.at(world.now() + strike.length("elects"),
             [&world, store, id = strike.id] { world.store(store).elect(id); });
    if (leader == "stalled") continue;
    world.at(world.now() + strike.length("notices"),
             [&world, store, id = strike.id] { world.store(store).depose_old_leader(id); });
  }
}

void rejoin_servers(World& world, const FaultInjection& strike) {
  const std::string_view leader = strike.choice("leader");
  const bool revokes = leader == "stalled" && !confirms(leader, strike.choice("confirms"));
  for (const StoreId store : strike.stores) world.store(store).rejoin_servers(strike.id, revokes);
}

const char* in_vain(const World& world, const FaultInjection& strike, NodeId) {
  const bool again = std::ranges::any_of(
      strike.stores, [&world](StoreId store) { return world.store(store).servers_parted(); });
  return again ? "the servers are parted already" : nullptr;
}

}  // namespace

const FaultKind kStoreMinority = {
    .name = "store-minority",
    .summary = "the store's servers cannot reach each other, and the target reaches a minority of them only",
    .acts = FaultKind::Acts::on_nodes,
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::cuts},
    .lasts = true,
    .needs_store = true,
    .needs_cluster = true,
    .parameters = kStoreMinorityParameters,
    .breaks = minority_breaks,
    .begin = part_servers,
    .end = rejoin_servers,
    .in_vain = in_vain};

}  // namespace tenure::sim
