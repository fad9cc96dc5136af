// The thread of a proxy. Sockets tell it of changes alone (edge-triggered), so that nothing that waits for a rule, for
// room or for a time keeps it busy.
//
// Thread rule: `mutex_` guards all but what says otherwise. The thread holds it while it moves bytes, and not while it
// waits.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <queue>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/loopback/flow.h"
#include "adapters/loopback/sockets.h"
#include "adapters/loopback/tcp_proxy.h"

namespace tenure::loopback {

class ProxyLoop {
 public:
  ProxyLoop(ServerAddress server, std::uint64_t seed);
  ~ProxyLoop();

  std::uint16_t port() const { return port_.number(); }
  void set(Direction direction, const DirectionRule& rule);
  DirectionRule rule(Direction direction) const;
  void set_server(ServerAddress server);
  void refuse(bool refused);
  void cut_all();
  ProxyCounts counts() const;

 private:
  enum Party : std::uint8_t { kClient, kServer };
  struct Side {
    Socket socket;
    bool readable = false;
    bool writable = false;
    bool broken = false;
  };
  struct Connection {
    Connection(std::uint64_t its_number, std::uint64_t seed);
    std::uint64_t number;
    std::array<Side, 2> sides;  // by Party
    std::array<Flow, 2> flows;  // by Direction
    bool connected = false;     // to the server
    MonoTime timer = MonoTime::max();
  };

  void work();
  int patience() const;
  void handle(std::uint64_t key, std::uint32_t events);
  void accept_clients();
  void connect(Connection& connection);
  void give_up(const Connection& connection);
  void pause_accepting();
  void listen_again();
  // Moves what may be moved, and ends what is over.
  void serve(std::uint64_t number);
  // False: the connection is cut.
  bool read(Connection& connection, Direction direction);
  void write(Connection& connection, Direction direction);
  bool is_over(const Connection& connection) const;
  void set_timer(Connection& connection);
  void end(std::uint64_t number, bool at_once);
  // False: the system has no room for it.
  bool watch(const Socket& socket, std::uint64_t key, std::uint32_t events) const;
  void wake() const;
  Wire& wire(Direction direction) { return wires_[static_cast<std::size_t>(direction)]; }
  std::uint64_t& swallowed(Direction direction) {
    return direction == Direction::to_server ? counts_.swallowed_to_server : counts_.swallowed_to_client;
  }
  const Wire& wire(Direction direction) const { return wires_[static_cast<std::size_t>(direction)]; }

  const std::uint64_t seed_;
  const ReservedPort port_;
  const Socket events_;
  const Socket alarm_;
  mutable std::mutex mutex_;
  bool ended_ = false;
  ServerAddress server_;
  Socket listener_;
  bool refused_ = false;
  MonoTime accepts_again_ = MonoTime::max();  // out of files until then
  std::array<Wire, 2> wires_;                 // by Direction
  std::map<std::uint64_t, Connection> connections_;
  std::set<std::uint64_t> unfinished_;  // to be served at once
  std::priority_queue<std::pair<MonoTime, std::uint64_t>, std::vector<std::pair<MonoTime, std::uint64_t>>,
                      std::greater<>>
      timers_;
  ProxyCounts counts_;
  std::thread thread_;
};

}  // namespace tenure::loopback
