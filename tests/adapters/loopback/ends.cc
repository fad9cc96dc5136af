#include "tests/adapters/loopback/ends.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

namespace tenure::loopback {
namespace {

constexpr int kPatienceMs = 30'000;
constexpr int kNoMoreRoomMs = 300;

bool is_ready(int socket, short what, int milliseconds) {
  pollfd wanted{socket, what, 0};
  return poll(&wanted, 1, milliseconds) == 1;
}

sockaddr_in on_loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

End::End(Socket socket) : socket_(std::move(socket)) {}

End End::to(std::uint16_t port) {
  End end(Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)));
  const sockaddr_in address = on_loopback(port);
  if (connect(end.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    end.error_ = errno;
    end.socket_.close();
  }
  return end;
}

bool End::say(const std::string& bytes) {
  return send(number(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

std::size_t End::stuff(std::size_t most) {
  const std::string bytes(16 * 1024, 'x');
  std::size_t taken = 0;
  while (taken < most && is_ready(number(), POLLOUT, kNoMoreRoomMs)) {
    const ssize_t count =
        send(number(), bytes.data(), std::min(bytes.size(), most - taken), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN) break;
    if (count > 0) taken += static_cast<std::size_t>(count);
  }
  return taken;
}

void End::say_no_more() { shutdown(number(), SHUT_WR); }

std::string End::hear(std::size_t count) {
  std::string heard;
  std::string buffer(64 * 1024, '\0');
  while (heard.size() < count && is_ready(number(), POLLIN, kPatienceMs)) {
    const ssize_t got = recv(number(), buffer.data(), std::min(buffer.size(), count - heard.size()), 0);
    if (got <= 0) break;
    heard.append(buffer, 0, static_cast<std::size_t>(got));
  }
  return heard;
}

bool End::hears_within(int milliseconds) { return is_ready(number(), POLLIN, milliseconds); }

std::string End::hear_the_end() {
  char letter = 0;
  if (!is_ready(number(), POLLIN, kPatienceMs)) return "nothing";
  const ssize_t got = recv(number(), &letter, 1, 0);
  return got == 0              ? "end"
         : got > 0             ? std::string("more: ") + letter
         : errno == ECONNRESET ? "reset"
                               : "error";
}

Server::Server() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = on_loopback(0);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(listener_.number(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(listener_.number(), 4'096), 0);
  getsockname(listener_.number(), reinterpret_cast<sockaddr*>(&address), &size);
  address_.port = ntohs(address.sin_port);
}

Server::Server(const std::string& path) : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(bind(listener_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_.number(), 1), 0);
  address_.socket_path = path;
}

End Server::accept() {
  if (!has_client_within(kPatienceMs)) {
    ADD_FAILURE() << "no client came";
    return {};
  }
  return End(Socket(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC)));
}

bool Server::has_client_within(int milliseconds) {
  return is_ready(listener_.number(), POLLIN, milliseconds);
}

}  // namespace tenure::loopback
