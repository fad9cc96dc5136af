// The two ends that tests put around a proxy: plain sockets that wait at most half a minute.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "adapters/loopback/sockets.h"

namespace tenure::loopback {

// One end of a connection.
class End {
 public:
  End() = default;
  explicit End(Socket socket);
  // A client of this port. `error()` says why there is none.
  static End to(std::uint16_t port);

  bool is_open() const { return static_cast<bool>(socket_); }
  int error() const { return error_; }
  int number() const { return socket_.number(); }

  bool say(const std::string& bytes);
  // Sends until the other side takes no more for a while, at most `most`: how many it has taken.
  std::size_t stuff(std::size_t most);
  void say_no_more();
  void hang_up() { socket_.close(); }
  // Exactly so many bytes, or what came before the end.
  std::string hear(std::size_t count);
  // Whether anything, or the end, arrives in this time.
  bool hears_within(int milliseconds);
  // "end", "reset", or what was heard instead.
  std::string hear_the_end();

 private:
  Socket socket_;
  int error_ = 0;
};

// A server, which accepts when it is told to.
class Server {
 public:
  Server();
  explicit Server(const std::string& path);
  ServerAddress address() const { return address_; }
  End accept();
  bool has_client_within(int milliseconds);

 private:
  ServerAddress address_;
  Socket listener_;
};

}  // namespace tenure::loopback
