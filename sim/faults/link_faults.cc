// What happens on the links between the target and its peers.
#include <algorithm>
#include <optional>

#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/models/links.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

using enum FaultParameterSpec::Type;

// Relative to the target: messages to it, messages from it, or both.
constexpr std::string_view kDirections[] = {"both", "to", "from"};
constexpr std::string_view kPeers[] = {"all", "store", "instances"};

constexpr FaultParameterSpec kDirection = {.name = "direction",
                                           .type = choice,
                                           .default_text = "both",
                                           .choices = kDirections,
                                           .doc = "relative to the target: to, from, both"};
constexpr FaultParameterSpec kPeer = {.name = "peers",
                                      .type = choice,
                                      .default_text = "all",
                                      .choices = kPeers,
                                      .doc = "the other end: store, instances, all"};

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

// Adds `rule` on the strike's links, in its direction(s). from, to and fault are filled in here.
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

// FaultKind::begin: changes one thing of each link.
template <auto kKnob>
void turn_links(World& world, const FaultInjection& strike) {
  add_link_rules(world, strike, turned(kKnob, strike));
}

// FaultKind::end.
void remove_link_rules(World& world, const FaultInjection& strike) {
  change_links(world, [&] { world.network().remove_rules(strike.id); });
}

// What a disturbance of these links breaks, which a store notices or not.
std::vector<Assumption> link_breaks(const FaultSetting& fault, bool store_notices) {
  const auto& peers = value_of<std::string>(fault, "peers");
  std::vector<Assumption> broken;
  if (peers != "instances" && store_notices) broken.push_back(Assumption::prompt_store);
  if (peers != "store") broken.push_back(Assumption::reliable_network);
  return broken;
}

// What all of them have in common.
constexpr FaultKind link_fault(FaultKind kind) {
  kind.acts = FaultKind::Acts::on_links;
  kind.family = FaultFamily::network;
  kind.lasts = true;
  kind.needs_traffic = true;
  kind.end = remove_link_rules;
  return kind;
}

constexpr FaultParameterSpec kPartitionParameters[] = {kDirection, kPeer};

}  // namespace

// Connections hold or lose what they carry.
constinit const FaultKind kPartition =
    link_fault({.name = "partition",
                .summary = "nothing passes between the target and its peers",
                .harm = {FaultCause::network, Manner::cuts},
                .parameters = kPartitionParameters,
                .breaks = [](const FaultSetting& fault, const Scenario&,
                             const Bounds&) { return link_breaks(fault, true); },
                .begin = turn_links<&LinkRule::block>});

constexpr FaultParameterSpec kDelayParameters[] = {
    {.name = "latency", .type = duration, .doc = "added to each message's own latency"}, kDirection, kPeer};

constinit const FaultKind kDelay =
    link_fault({.name = "delay",
                .summary = "everything between the target and its peers takes longer",
                .harm = {FaultCause::network, Manner::hinders},
                .needs_target = false,
                .parameters = kDelayParameters,
                .breaks =
                    [](const FaultSetting& fault, const Scenario&, const Bounds& bounds) {
                      return link_breaks(fault, may_be_noticed(bounds, longest_latency(fault) * 2));
                    },
                .begin = turn_links<&LinkRule::delay>,
                .lingers = longest_latency});

namespace {

constexpr FaultParameterSpec kLossParameters[] = {
    {.name = "rate", .type = fraction, .doc = "the share that is lost, 0 to 1"}, kDirection, kPeer};

// A connection only gets slower, unless everything is lost. How much slower does not depend on the rate: any segment
// can be lost as often as it is sent again.
bool delays_beyond_a_timeout(const FaultSetting& fault, const Scenario& scenario, const Bounds& bounds) {
  const bool both_ways = value_of<std::string>(fault, "direction") == "both" || scenario.network.loss_ppm > 0;
  return bounds.request_timeout &&
         worst_response_time(scenario, bounds, both_ways ? 2 : 1) >= *bounds.request_timeout;
}

std::vector<Assumption> loss_breaks(const FaultSetting& fault, const Scenario& scenario,
                                    const Bounds& bounds) {
  const auto rate = value_of<std::int64_t>(fault, "rate");
  if (rate == 0) return {};
  return link_breaks(fault, rate >= 1'000'000 || delays_beyond_a_timeout(fault, scenario, bounds));
}

}  // namespace

// Connections send again, which takes time.
constinit const FaultKind kLoss =
    link_fault({.name = "loss",
                .summary = "messages between the target and its peers are lost with probability `rate`",
                .harm = {FaultCause::network, Manner::cuts},
                .needs_target = false,
                .parameters = kLossParameters,
                .breaks = loss_breaks,
                .begin = turn_links<&LinkRule::loss_ppm>});

constexpr FaultParameterSpec kDuplicateParameters[] = {
    {.name = "rate", .type = fraction, .doc = "the share that arrives twice, 0 to 1"}, kDirection, kPeer};

constinit const FaultKind kDuplicate =
    link_fault({.name = "duplicate",
                .summary = "messages between the target and its peers arrive twice with probability `rate`",
                .harm = {FaultCause::network, Manner::spares},
                .needs_target = false,
                .parameters = kDuplicateParameters,
                // Connections to a store are not touched, so it answers as promptly as ever.
                .breaks = [](const FaultSetting& fault, const Scenario&,
                             const Bounds&) { return link_breaks(fault, false); },
                .begin = turn_links<&LinkRule::duplicate_ppm>});

constexpr FaultParameterSpec kReorderParameters[] = {
    {.name = "rate", .type = fraction, .default_text = "0.5", .doc = "the share that is held back, 0 to 1"},
    {.name = "by", .type = duration, .doc = "it is held back by up to this much, drawn anew for each"},
    kDirection,
    kPeer};

// A message between instances travels alone, so the next one may arrive before it. A connection to a store puts its
// segments back in order, as TCP does: there one that is held back holds back all that is behind it, and nothing is
// overtaken.
constinit const FaultKind kReorder = link_fault(
    {.name = "reorder",
     .summary =
         "messages between the target and its peers overtake each other; a connection to a store keeps its "
         "order, and is slower",
     .harm = {FaultCause::network, Manner::hinders},
     .needs_target = false,
     .parameters = kReorderParameters,
     .breaks =
         [](const FaultSetting& fault, const Scenario& scenario, const Bounds& bounds) {
           return link_breaks(fault, may_outlast_a_request(scenario, bounds, longest(fault, "by") * 2));
         },
     .begin =
         [](World& world, const FaultInjection& strike) {
           LinkRule rule;
           rule.held_back_ppm = strike.number("rate");
           rule.held_back = strike.length("by");
           add_link_rules(world, strike, rule);
         },
     .lingers = [](const FaultSetting& fault) { return longest(fault, "by"); }});

}  // namespace tenure::sim
