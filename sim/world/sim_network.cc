#include "sim/world/sim_network.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace tenure::sim {
namespace {

constexpr std::size_t kParts = 2;
constexpr std::int64_t kHeldPpm = 500'000;
constexpr std::uint32_t kClosing = UINT32_MAX;  // the connection whose end stands for all of a life's

}  // namespace

SimNetwork::SimNetwork(Timeline& timeline, NetworkWorld& world, Links links, std::uint32_t nodes,
                       std::uint32_t stores, std::uint32_t workers)
    : timeline_(timeline),
      world_(world),
      links_(std::move(links)),
      nodes_(nodes),
      stores_(stores),
      endpoints_(endpoints(nodes, stores, workers)),
      handler_(timeline.add_handler(*this)),
      arrivals_(std::size_t{endpoints_} * endpoints_ * kParts) {}

void SimNetwork::send(MessageTransit transit) {
  const Links::Fate fate =
      links_.send(node_endpoint(transit.from), node_endpoint(transit.to.node), timeline_.now());
  if (fate.lost) return;
  if (fate.duplicated) put(fate.duplicate_latency, transit);
  put(fate.latency, std::move(transit));
}

void SimNetwork::request(InFlightRequest&& transit) {
  const Way way{transit.from, store_endpoint(transit.store), transit.part, transit.who.number,
                transit.connection};
  put_on_connection(way, std::move(transit));
}

void SimNetwork::reply(const InFlightRequest& asked, StoreReplied&& reply) {
  const Way way{store_endpoint(asked.store), asked.from, asked.part, asked.who.number, asked.connection};
  put_on_connection(way, ReplyTransit{asked.from, asked.who, std::move(reply)});
}

void SimNetwork::close(Endpoint from, ClientGone gone) {
  const Way way{from, store_endpoint(gone.store), Part::elector, gone.who.number, kClosing};
  if (!links_.blocked(way.from, way.to)) return put_on_connection(way, gone);
  Held& held = held_.emplace_back();  // filled in place: g++ 12 warns of what a moved Packet could be
  held.way = way;
  held.packet = gone;
}

void SimNetwork::notify(NotificationTransit transit, Duration later) {
  const Links::Fate fate =
      links_.send(store_endpoint(transit.store), node_endpoint(transit.to), timeline_.now());
  if (!fate.lost) put(fate.latency + later, std::move(transit));
}

Duration SimNetwork::to_resource(NodeId node) {
  return links_.stream(node_endpoint(node), resource_endpoint(), timeline_.now());
}

template <class Content>
void SimNetwork::put_on_connection(const Way& way, Content&& content) {
  if (links_.blocked(way.from, way.to)) {
    if (links_.chance(way.from, way.to, timeline_.now(), kHeldPpm))
      held_.push_back({way, std::forward<Content>(content)});
    return;
  }
  TrueTime& last = last_arrival(way);
  const Duration latency = links_.stream(way.from, way.to, timeline_.now());
  last = std::max(timeline_.now() + latency, last + Duration::nanos(1));
  put(last - timeline_.now(), std::forward<Content>(content));
}

TrueTime& SimNetwork::last_arrival(const Way& way) {
  const std::size_t place =
      (std::size_t{way.from} * endpoints_ + way.to) * kParts + static_cast<std::size_t>(way.part);
  std::vector<Arrival>& arrivals = arrivals_[place];
  for (Arrival& arrival : arrivals)
    if (arrival.life == way.life && arrival.opened == way.opened) return arrival.last;
  std::erase_if(arrivals, [&](const Arrival& arrival) { return arrival.last < timeline_.now(); });
  arrivals.push_back({way.life, way.opened, TrueTime{}});
  return arrivals.back().last;
}

template <class Content>
void SimNetwork::put(Duration latency, Content&& content) {
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(packets_.size());
    packets_.emplace_back(std::forward<Content>(content));
  } else {
    slot = free_.back();
    free_.pop_back();
    packets_[slot] = std::forward<Content>(content);
  }
  const auto kind = static_cast<std::uint8_t>(packets_[slot].index());
  timeline_.at(timeline_.now() + latency, {handler_, kind, 0, slot});
}

void SimNetwork::remove_rules(std::uint64_t fault) {
  links_.remove_rules(fault);
  std::vector<Held> released;
  std::vector<Held> kept;
  for (Held& held : std::exchange(held_, {}))
    (links_.blocked(held.way.from, held.way.to) ? kept : released).push_back(std::move(held));
  held_ = std::move(kept);
  for (Held& held : released) put_on_connection(held.way, std::move(held.packet));
}

void SimNetwork::lose_requests(StoreId store) {
  for (Packet& packet : packets_) {
    const auto* request = std::get_if<InFlightRequest>(&packet);
    if (request != nullptr && request->store == store) packet = Lost{};
  }
  std::erase_if(held_, [end = store_endpoint(store)](const Held& held) {
    return held.way.from == end || held.way.to == end;
  });
}

void SimNetwork::on_event(const Event& event) {
  const auto slot = static_cast<std::uint32_t>(event.payload);
  Packet packet = std::move(packets_[slot]);
  free_.push_back(slot);
  if (std::holds_alternative<Lost>(packet)) return;
  if (auto* message = std::get_if<MessageTransit>(&packet)) return world_.message_arrived(*message);
  if (auto* request = std::get_if<InFlightRequest>(&packet))
    return world_.request_arrived(std::move(*request));
  if (auto* reply = std::get_if<ReplyTransit>(&packet)) return world_.reply_arrived(std::move(*reply));
  if (auto* gone = std::get_if<ClientGone>(&packet)) return world_.close_arrived(*gone);
  world_.notification_arrived(std::get<NotificationTransit>(packet));
}

}  // namespace tenure::sim
