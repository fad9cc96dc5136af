#include "sim/faults/links.h"

#include <algorithm>
#include <optional>

#include "sim/world/world.h"

namespace tenure::sim {
namespace {

std::vector<Endpoint> peers_of(World& world, const FaultInjection& strike) {
  const std::string_view peers = strike.choice("peers");
  std::vector<Endpoint> result;
  if (peers != "store") {
    // The target's nodes still hear each other, unless they are all there is: then everybody is cut off from all.
    const bool everybody = strike.nodes.size() == world.node_count();
    for (std::uint32_t i = 0; i < world.node_count(); ++i) {
      const bool inside =
          std::find(strike.nodes.begin(), strike.nodes.end(), NodeId{i}) != strike.nodes.end();
      if (everybody || !inside) result.push_back(world.network().node_endpoint(NodeId{i}));
    }
  }
  if (peers != "instances")
    for (const StoreId store : strike.stores) result.push_back(world.network().store_endpoint(store));
  return result;
}

struct LinkEnd {
  std::optional<NodeId> node;  // nullopt: a store
  StoreId store;
};

// Calls `change`, and says which links between nodes, or between a node and a store, are not as they were.
template <class Change>
void change_links(World& world, Change&& change) {
  if (!world.history().has_observer_of<LinkChanged>()) return change();
  std::vector<LinkEnd> ends;
  for (std::uint32_t i = 0; i < world.store_count(); ++i) ends.push_back({std::nullopt, StoreId{i}});
  for (std::uint32_t i = 0; i < world.node_count(); ++i) ends.push_back({NodeId{i}, {}});
  const auto endpoint = [&](const LinkEnd& end) {
    return end.node ? world.network().node_endpoint(*end.node) : world.network().store_endpoint(end.store);
  };
  const auto states = [&] {
    std::vector<LinkState> all;
    for (const LinkEnd& from : ends)
      for (const LinkEnd& to : ends) all.push_back(world.network().link(endpoint(from), endpoint(to)));
    return all;
  };
  const std::vector<LinkState> before = states();
  change();
  const std::vector<LinkState> after = states();
  for (std::size_t i = 0; i < after.size(); ++i) {
    const LinkEnd& from = ends[i / ends.size()];
    const LinkEnd& to = ends[i % ends.size()];
    const bool is_link = from.node != to.node;  // stores do not talk to each other
    if (is_link && after[i] != before[i])
      world.history().emit(LinkChanged{from.node, to.node, after[i], from.node ? to.store : from.store});
  }
}

}  // namespace

void add_link_rules(World& world, const FaultInjection& strike, const LinkRule& rule) {
  std::vector<Endpoint> target;
  for (const NodeId node : strike.nodes) target.push_back(world.network().node_endpoint(node));
  std::sort(target.begin(), target.end());
  std::vector<Endpoint> peers = peers_of(world, strike);
  const std::string_view direction = strike.choice("direction");
  const auto add = [&](const std::vector<Endpoint>& from, const std::vector<Endpoint>& to) {
    LinkRule one_way = rule;
    one_way.fault = strike.id;
    one_way.from = from;
    one_way.to = to;
    world.network().add_rule(std::move(one_way));
  };
  change_links(world, [&] {
    if (direction != "from") add(peers, target);
    // When the target is everybody, the links within it are covered by now: no link takes the same delay or loss twice.
    if (direction == "both")
      std::erase_if(peers, [&](Endpoint e) { return std::binary_search(target.begin(), target.end(), e); });
    if (direction != "to") add(target, peers);
  });
}

void remove_link_rules(World& world, const FaultInjection& strike) {
  change_links(world, [&] { world.network().remove_rules(strike.id); });
}

std::vector<Assumption> link_breaks(const FaultSetting& fault, const Scenario&, const Bounds&) {
  std::string_view peers = "all";
  for (const FaultParameter& parameter : fault.parameters)
    if (parameter.name == "peers") peers = std::get<std::string>(parameter.value);
  std::vector<Assumption> broken;
  if (peers != "instances") broken.push_back(Assumption::prompt_store);
  if (peers != "store") broken.push_back(Assumption::reliable_network);
  return broken;
}

}  // namespace tenure::sim
