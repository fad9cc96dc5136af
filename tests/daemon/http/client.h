// A client of one connection, as plain as possible: it may be slow, silent or gone.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/check.h"

namespace tenure::daemon {

class HttpTestClient {
 public:
  explicit HttpTestClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int failed = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    CHECK(failed == 0, "the server listens");
  }
  ~HttpTestClient() { close(); }
  HttpTestClient(const HttpTestClient&) = delete;

  void send(std::string_view text) {
    static_cast<void>(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL));
  }
  // Says that it sends nothing more.
  void end() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  // All that comes until the other side closes.
  std::string read_all() {
    std::string all;
    char piece[4096];
    for (;;) {
      const ssize_t read = ::recv(socket_, piece, sizeof piece, 0);
      if (read <= 0) return all;
      all.append(piece, static_cast<std::size_t>(read));
    }
  }
  std::string ask(std::string_view text) {
    send(text);
    return read_all();
  }

 private:
  int socket_;
};

}  // namespace tenure::daemon
