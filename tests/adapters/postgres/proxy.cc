#include "tests/adapters/postgres/proxy.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace tenure::pgtest {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

std::uint16_t server_port() {
  const char* port = std::getenv("PGPORT");
  return static_cast<std::uint16_t>(port == nullptr ? 5432 : std::atoi(port));
}

void write_all(int to, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::send(to, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

std::string read_some(int from) {
  std::array<char, 65'536> buffer{};
  const ssize_t n = ::recv(from, buffer.data(), buffer.size(), 0);
  return n <= 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(n));
}

constexpr std::size_t kReady = 6;  // the length of ReadyForQuery

}  // namespace

Proxy::Proxy() : listening_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(listening_, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(listening_, 8), 0);
  ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { work(); });
}

Proxy::~Proxy() {
  stopped_ = true;
  thread_.join();
  for (const Pair& pair : pairs_) {
    ::close(pair.client);
    ::close(pair.server);
  }
  ::close(listening_);
}

std::string Proxy::address() const {
  return fmt::format("host=127.0.0.1 port={} sslmode=disable gssencmode=disable", port_);
}

void Proxy::work() {
  while (!stopped_) {
    std::vector<pollfd> wanted{{listening_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      wanted.push_back({pair.client, POLLIN, 0});
      wanted.push_back({pair.server, POLLIN, 0});
    }
    if (::poll(wanted.data(), wanted.size(), 20) <= 0) continue;
    std::vector<Pair> kept;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const bool asked = wanted[1 + 2 * i].revents != 0;
      const bool answered = wanted[2 + 2 * i].revents != 0;
      if ((!asked || from_client(pairs_[i])) && (!answered || from_server(pairs_[i]))) {
        kept.push_back(pairs_[i]);
      } else {
        ::close(pairs_[i].client);
        ::close(pairs_[i].server);
      }
    }
    pairs_ = std::move(kept);
    if (wanted[0].revents != 0) accept_one();
  }
}

void Proxy::accept_one() {
  Pair pair{::accept(listening_, nullptr, nullptr), ::socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in address = loopback(server_port());
  if (::connect(pair.server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
    return pairs_.push_back(pair);
  ::close(pair.client);
  ::close(pair.server);
}

bool Proxy::from_client(const Pair& pair) {
  const std::string bytes = read_some(pair.client);
  if (mode_ == Mode::cut_request) return false;
  if (mode_ != Mode::swallow) write_all(pair.server, bytes);
  return !bytes.empty();
}

bool Proxy::from_server(const Pair& pair) {
  std::string bytes = read_some(pair.server);
  if (mode_ == Mode::cut_reply) return false;
  if (mode_ == Mode::swallow) return true;
  const bool cut = mode_ == Mode::cut_before_ready && bytes.size() > kReady;
  if (cut) bytes.resize(bytes.size() - kReady);
  write_all(pair.client, bytes);
  return !cut && !bytes.empty();
}

}  // namespace tenure::pgtest
