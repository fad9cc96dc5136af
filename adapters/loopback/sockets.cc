#include "adapters/loopback/sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/host_failure.h"

namespace tenure::loopback {
namespace {

constexpr int kBacklog = 4'096;

sockaddr_in on_loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

[[noreturn]] void cannot(const char* what) {
  throw HostFailure(fmt::format("cannot {} on 127.0.0.1: {}", what, std::strerror(errno)));
}

bool switch_on(int socket, int level, int option) {
  const int on = 1;
  return setsockopt(socket, level, option, &on, sizeof on) == 0;
}

// Two sockets share a port if both say so, and only those of one user: one keeps it, and the other listens.
Socket bind_to(std::uint16_t port) {
  Socket bound(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const sockaddr_in address = on_loopback(port);
  if (!bound || !switch_on(bound.number(), SOL_SOCKET, SO_REUSEPORT) ||
      bind(bound.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    cannot("reserve a port");
  return bound;
}

int connect_by_path(int socket, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  path.copy(address.sun_path, path.size());
  return connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// When nobody listens on a port that the system hands out to clients, it may hand it to our own connection.
bool is_connected_to_itself(const Socket& socket) {
  sockaddr_in here{};
  sockaddr_in there{};
  socklen_t size = sizeof here;
  if (getsockname(socket.number(), reinterpret_cast<sockaddr*>(&here), &size) != 0 ||
      here.sin_family != AF_INET)
    return false;
  size = sizeof there;
  return getpeername(socket.number(), reinterpret_cast<sockaddr*>(&there), &size) == 0 &&
         here.sin_port == there.sin_port;
}

}  // namespace

Socket& Socket::operator=(Socket&& from) noexcept {
  if (this != &from) {
    close();
    number_ = std::exchange(from.number_, -1);
  }
  return *this;
}

void Socket::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

void Socket::close_at_once() {
  if (number_ < 0) return;
  const linger none{.l_onoff = 1, .l_linger = 0};
  setsockopt(number_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  close();
}

ReservedPort::ReservedPort() : bound_(bind_to(0)) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(bound_.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    cannot("reserve a port");
  number_ = ntohs(address.sin_port);
}

Socket ReservedPort::listen() const {
  Socket listener = bind_to(number_);
  if (::listen(listener.number(), kBacklog) != 0) cannot("listen");
  return listener;
}

Socket accept_from(const Socket& listener) {
  Socket client(accept4(listener.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (client) switch_on(client.number(), IPPROTO_TCP, TCP_NODELAY);
  return client;
}

Connecting begin_connecting(const ServerAddress& server, Socket& socket) {
  const bool by_path = !server.socket_path.empty();
  Socket made(::socket(by_path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made) return Connecting::out_of_files;
  int result = 0;
  if (by_path) {
    result = connect_by_path(made.number(), server.socket_path);
  } else {
    switch_on(made.number(), IPPROTO_TCP, TCP_NODELAY);
    const sockaddr_in address = on_loopback(server.port);
    result = connect(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  if (result != 0 && errno == EAGAIN) return Connecting::later;
  if (result != 0 && errno != EINPROGRESS) return Connecting::refused;
  socket = std::move(made);
  return Connecting::begun;
}

bool is_connected(const Socket& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0 &&
         !is_connected_to_itself(socket);
}

}  // namespace tenure::loopback
