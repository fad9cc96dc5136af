// The network of the simulator: carries everything between processes, stores and clients.
//
// Messages between processes travel alone: they may be lost or doubled. Requests and replies travel on connections, one
// for each (life of a process, store, part): in order, and a lost segment is sent again. A process's next life has its
// own connections, and may overtake what the dead life had sent. What is on a connection when a partition begins is
// either lost, or held and delivered after the partition (drawn). So a request whose answer was unknown can still be
// applied much later.
//
// Thread rule: one network belongs to one run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <variant>
#include <vector>

#include "sim/kernel/timeline.h"
#include "sim/models/links.h"
#include "sim/world/store_server.h"

namespace tenure::sim {

struct MessageTransit {
  NodeId from;
  Incarnation to;  // the life that was running when it was sent
  Message message;
};
struct ReplyTransit {
  Endpoint to = 0;
  Incarnation who;
  StoreReplied reply;
};
// The machine of a process that has died closes its connections to a store with sessions.
struct ClientGone {
  Incarnation who;
  StoreId store;
};
struct NotificationTransit {
  NodeId to;
  Incarnation who;
  StoreId store;
  Notification what;
};

class NetworkWorld {
 public:
  virtual ~NetworkWorld() = default;
  virtual void message_arrived(const MessageTransit& transit) = 0;
  virtual void request_arrived(InFlightRequest&& transit) = 0;
  virtual void reply_arrived(ReplyTransit&& transit) = 0;
  virtual void close_arrived(const ClientGone& gone) = 0;
  virtual void notification_arrived(const NotificationTransit& transit) = 0;
};

class SimNetwork : public EventHandler {
 public:
  // Endpoints: nodes from 0, then stores, then one client, the outside resource, and workers.
  SimNetwork(Timeline& timeline, NetworkWorld& world, Links links, std::uint32_t nodes, std::uint32_t stores,
             std::uint32_t workers = 0);
  SimNetwork(const SimNetwork&) = delete;

  Endpoint node_endpoint(NodeId node) const { return node.value; }
  Endpoint store_endpoint(StoreId store) const { return nodes_ + store.value; }
  Endpoint client_endpoint() const { return nodes_ + stores_; }
  Endpoint resource_endpoint() const { return nodes_ + stores_ + 1; }
  Endpoint worker_endpoint(std::uint32_t worker) const { return nodes_ + stores_ + 2 + worker; }
  static std::uint32_t endpoints(std::uint32_t nodes, std::uint32_t stores, std::uint32_t workers = 0) {
    return nodes + stores + 2 + workers;
  }

  void send(MessageTransit transit);
  void request(InFlightRequest&& transit);
  void reply(const InFlightRequest& asked, StoreReplied&& reply);
  // It arrives, if need be after a partition: a kernel repeats it for longer than any of ours takes.
  void close(Endpoint from, ClientGone gone);
  void notify(NotificationTransit transit, Duration later);
  // The latency from a node to the outside resource.
  Duration to_resource(NodeId node);

  void add_rule(LinkRule rule) { links_.add_rule(std::move(rule)); }
  LinkState link(Endpoint from, Endpoint to) const { return links_.state(from, to); }
  // Whether something passed by that its rules change, or might have.
  bool met(std::uint64_t fault) const { return links_.met(fault); }
  // Removes a fault's rules, and delivers what they held.
  void remove_rules(std::uint64_t fault);

  // The server at a store's address is gone, with its connections: requests on their way to it are lost, and so is
  // everything that a partition holds in either direction. Answers that had left it still arrive.
  void lose_requests(StoreId store);

  void on_event(const Event& event) override;

 private:
  struct Lost {};
  using Packet =
      std::variant<MessageTransit, InFlightRequest, ReplyTransit, NotificationTransit, Lost, ClientGone>;
  // One direction of a connection. `life` and `opened` distinguish the successive connections of one part.
  struct Way {
    Endpoint from = 0;
    Endpoint to = 0;
    Part part = Part::elector;
    std::uint32_t life = 0;
    std::uint32_t opened = 0;
  };
  struct Held {
    Way way;
    Packet packet;
  };
  struct Arrival {
    std::uint32_t life = 0;
    std::uint32_t opened = 0;
    TrueTime last;
  };
  // `Content`: one kind of packet, or any.
  template <class Content>
  void put(Duration latency, Content&& content);
  template <class Content>
  void put_on_connection(const Way& way, Content&& content);
  TrueTime& last_arrival(const Way& way);

  Timeline& timeline_;
  NetworkWorld& world_;
  Links links_;
  std::uint32_t nodes_;
  std::uint32_t stores_;
  std::uint32_t endpoints_;
  std::uint16_t handler_;
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_;
  std::vector<std::vector<Arrival>>
      arrivals_;  // by (from, to, part); only connections that still carry something
  std::vector<Held> held_;
};

}  // namespace tenure::sim
