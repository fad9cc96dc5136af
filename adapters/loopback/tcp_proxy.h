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
// Thread rule: any thread. One thread of the proxy's own does the work, and ends with the object.
#pragma once

#include <cstdint>
#include <memory>

#include "adapters/loopback/server_address.h"
#include "core/base/time.h"

namespace tenure::loopback {

enum class Direction : std::uint8_t { to_server, to_client };

// What happens to the bytes of one direction. The default passes them on at once.
struct DirectionRule {
  bool swallow = false;       // they vanish, and the connection stays
  bool hang = false;          // they are not read: the sender's buffers fill up, and nothing is lost
  Duration delay = {};        // each message is passed on so much later,
  Duration jitter = {};       // and by a uniform draw up to this on top; the order stays
  std::uint32_t cut_ppm = 0;  // this many messages in a million are lost, and their connections with them
  std::int64_t bytes_per_second = 0;  // of all connections together; 0: no limit

  friend bool operator==(const DirectionRule&, const DirectionRule&) = default;
};

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

class ProxyLoop;

class TcpProxy {
 public:
  static constexpr std::size_t kBufferedMax = 256 * 1024;

  // Listens on 127.0.0.1, on a port that the system chooses. Throws HostFailure: it cannot.
  explicit TcpProxy(ServerAddress server, std::uint64_t seed = 0);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  std::uint16_t port() const;

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
  std::unique_ptr<ProxyLoop> loop_;
};

}  // namespace tenure::loopback
