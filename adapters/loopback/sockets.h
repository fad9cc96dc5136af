// Non-blocking sockets on loopback, closed with their objects.
//
// Thread rule: values, each with one owner.
#pragma once

#include <cstdint>
#include <utility>

#include "adapters/loopback/server_address.h"

namespace tenure::loopback {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int number) : number_(number) {}
  ~Socket() { close(); }
  Socket(Socket&& from) noexcept : number_(std::exchange(from.number_, -1)) {}
  Socket& operator=(Socket&& from) noexcept;

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  void close();
  // With a reset, for a TCP connection.
  void close_at_once();

 private:
  int number_ = -1;
};

// A port of 127.0.0.1 that stays ours whether or not somebody listens on it.
class ReservedPort {
 public:
  ReservedPort();  // throws HostFailure
  std::uint16_t number() const { return number_; }
  // A listener on it. REQUIRES: there is no other. Throws HostFailure.
  Socket listen() const;

 private:
  Socket bound_;
  std::uint16_t number_ = 0;
};

// A client of a listener; empty: there is none now (errno is as accept4 has left it).
Socket accept_from(const Socket& listener);

enum class Connecting : std::uint8_t {
  begun,        // or already done: the socket becomes writable
  later,        // the server's backlog is full: try again
  refused,      // nobody is there
  out_of_files  // of this process, or of the machine
};
// On `begun`, `socket` is the connection.
Connecting begin_connecting(const ServerAddress& server, Socket& socket);
// Of a connection that was begun, and is writable or broken.
bool is_connected(const Socket& socket);

}  // namespace tenure::loopback
