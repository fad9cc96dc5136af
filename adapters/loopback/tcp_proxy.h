// A TCP proxy on loopback between clients and a server: what a network may do to them, each direction by its own rule.
//
//   I1. A stream has no hole. Where bytes of a connection were swallowed, so are all later ones of that direction.
//   I2. A rule holds as soon as its setter returns: no byte leaves by the old one after that.
//   I3. Buffers are bounded (kBufferedMax a direction of a connection): a reader that is slow stops its writer.
//   I4. What the far side of a direction that hangs or swallows does not get, it also does not hear the end of.
//       The end is passed on with the first rule that lets bytes through.
//   I5. The port is the proxy's as long as it lives, also while it refuses: nobody else can take it.
//   I6. Draws come from the seed, the connection's number, the direction and the message's number alone.
//
// A message is what one read returns: for protocols that ask and wait, a request or an answer.
// One thread of the proxy's own does the work, and ends with the object. Sockets tell it of changes alone
// (edge-triggered), so that nothing that waits for a rule, for room or for a time keeps it busy.
//
// Thread rule: any thread. `mutex_` guards all but what says otherwise. The thread holds it while it moves bytes, and
// not while it waits.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <queue>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/loopback/flow.h"
#include "adapters/loopback/sockets.h"

namespace tenure::loopback {

// What has happened since the proxy began.
struct ProxyCounts {
  std::uint64_t accepted = 0;          // connections
  std::uint64_t open = 0;              // of these, now
  std::uint64_t unreachable = 0;       // ended because the server did not accept them
  std::uint64_t cut = 0;               // ended by cut_ppm or cut_all
  std::uint64_t passed_to_server = 0;  // bytes
  std::uint64_t passed_to_client = 0;
  std::uint64_t swallowed_to_server = 0;
  std::uint64_t swallowed_to_client = 0;
};

class TcpProxy {
 public:
  // Listens on 127.0.0.1, on a port that the system chooses. Throws HostFailure: it cannot.
  explicit TcpProxy(ServerAddress server, std::uint64_t seed = 0);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  std::uint16_t port() const { return port_.number(); }

  void set(Direction direction, const DirectionRule& rule);
  void set_both(const DirectionRule& rule);
  DirectionRule rule(Direction direction) const;
  // Connections that are made from now on go to this server; those there stay where they are (see cut_all).
  void set_server(ServerAddress server);
  // New connections are refused (ECONNREFUSED), or no longer. Those there stay.
  void refuse(bool refused);
  // Every connection ends at once, with a reset.
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
