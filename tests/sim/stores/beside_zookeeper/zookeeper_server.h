// A real ZooKeeper of its own, with its data in a temporary directory, on a loopback port that is free; and a client
// that speaks its protocol one packet at a time, so that a test decides when a session is heard of. The server can be
// killed and started again on the same data. Nothing is left behind.
//
// Thread rule: one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/zookeeper/requests.h"
#include "tests/sim/stores/local_server.h"
#include "tests/support/temporary.h"

namespace tenure::zookeeper {

class ZookeeperServer {
 public:
  explicit ZookeeperServer(std::chrono::milliseconds tick);

  // Waits until it answers.
  void start();
  void kill() { process_.kill(); }
  int port() const { return port_; }

 private:
  testing::TemporaryFolder folder_;
  int port_ = 0;
  std::chrono::milliseconds tick_;
  testing::LocalServer process_;
};

// One connection, and the session on it.
class ZookeeperClient {
 public:
  // A session that was there before.
  struct Session {
    std::int64_t id = 0;
    std::string password;
  };
  ZookeeperClient(const ZookeeperServer& server, std::chrono::milliseconds timeout)
      : ZookeeperClient(server, timeout, Session()) {}
  ZookeeperClient(const ZookeeperServer& server, std::chrono::milliseconds timeout, const Session& session);
  ~ZookeeperClient();
  ZookeeperClient(const ZookeeperClient&) = delete;

  // id 0: it was refused, because the session has ended.
  const Session& session() const { return session_; }
  std::chrono::milliseconds timeout() const { return timeout_; }
  // What the server answers to any of the requests but Connect and NextEvent; nothing: it has closed the connection.
  // The session of the request is not looked at.
  std::optional<Reply> ask(const Request& request);
  // What watches have told so far; waits for one if there is none.
  std::optional<WatchedEvent> next_event(std::chrono::milliseconds patience);

 private:
  class Packet;
  class Reader;
  std::optional<std::string> read_packet(std::chrono::milliseconds patience);
  void take_event(Reader& body);

  int socket_ = -1;
  Session session_;
  std::chrono::milliseconds timeout_{};
  std::int32_t xid_ = 0;
  std::string unread_;
  std::deque<WatchedEvent> events_;
};

}  // namespace tenure::zookeeper
