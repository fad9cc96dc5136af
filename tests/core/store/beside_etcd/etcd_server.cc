#include "tests/core/store/beside_etcd/etcd_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace tenure::etcd {
namespace {

using std::chrono::milliseconds;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(probe, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no free port");
  ::close(probe);
  return ntohs(address.sin_port);
}

// HTTP/1.0: the answer ends with the connection, and comes as it is.
int ask(int port, const std::string& path, const std::string& body) {
  const int to = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (::connect(to, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(to);
    return -1;
  }
  const std::string text = fmt::format("POST {} HTTP/1.0\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                                       path, body.size(), body);
  if (::send(to, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("cannot write to etcd");
  return to;
}

}  // namespace

EtcdServer::EtcdServer() {
  std::string name = std::filesystem::temp_directory_path() / "etcd-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  directory_ = name;
  for (int attempt = 0; attempt < 5 && pid_ < 0; ++attempt) {  // another program may take the port
    port_ = free_port();
    peer_port_ = free_port();
    std::filesystem::remove_all(directory_ + "/data");
    try {
      start();
    } catch (const std::runtime_error&) {
      if (attempt == 4) throw;
    }
  }
}

EtcdServer::~EtcdServer() {
  kill();
  std::filesystem::remove_all(directory_);
}

void EtcdServer::start() {
  const std::string client = fmt::format("http://127.0.0.1:{}", port_);
  const std::string peer = fmt::format("http://127.0.0.1:{}", peer_port_);
  const std::string data = directory_ + "/data";
  const std::string log = directory_ + "/log";
  const std::string cluster = "default=" + peer;
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    const int to = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(to, STDOUT_FILENO);
    ::dup2(to, STDERR_FILENO);
    ::execlp("etcd", "etcd", "--data-dir", data.c_str(), "--listen-client-urls", client.c_str(),
             "--advertise-client-urls", client.c_str(), "--listen-peer-urls", peer.c_str(),
             "--initial-advertise-peer-urls", peer.c_str(), "--initial-cluster", cluster.c_str(), nullptr);
    ::_exit(127);
  }
  for (int i = 0; i < 400; ++i) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      throw std::runtime_error("etcd did not start; ./dev setup installs etcd-server");
    }
    if (post("/v3/kv/range", {{"key", "eA=="}}).contains("header")) return;
    std::this_thread::sleep_for(milliseconds(10));
  }
  kill();
  throw std::runtime_error("etcd does not answer");
}

void EtcdServer::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

Json EtcdServer::post(const std::string& path, const Json& body) const {
  const int from = ask(port_, path, body.dump());
  if (from < 0) return {{"error", "no connection"}};
  std::string text;
  char chunk[8192];
  for (ssize_t size = 0; (size = ::read(from, chunk, sizeof chunk)) > 0;)
    text.append(chunk, static_cast<std::size_t>(size));
  ::close(from);
  const std::size_t head = text.find("\r\n\r\n");
  if (head == std::string::npos) return {{"error", "no answer"}};
  Json answer = Json::parse(text.substr(head + 4), nullptr, false);
  // The gateway wraps the answers of streams.
  return answer.contains("result") ? answer["result"] : answer;
}

EtcdWatch::EtcdWatch(const EtcdServer& server, const Json& create_request)
    : socket_(ask(server.port(), "/v3/watch", Json{{"create_request", create_request}}.dump())) {
  if (socket_ < 0) throw std::runtime_error("no connection for a watch");
  thread_ = std::thread([this] { read(); });
  std::unique_lock lock(mutex_);
  if (!more_.wait_for(lock, std::chrono::seconds(10), [this] { return created_; }))
    throw std::runtime_error("etcd makes no watch");
}

EtcdWatch::~EtcdWatch() {
  ::shutdown(socket_, SHUT_RDWR);
  thread_.join();
  ::close(socket_);
}

void EtcdWatch::read() {
  std::string text;
  bool in_body = false;
  char chunk[8192];
  for (ssize_t size = 0; (size = ::read(socket_, chunk, sizeof chunk)) > 0;) {
    const Instant now = std::chrono::steady_clock::now();
    text.append(chunk, static_cast<std::size_t>(size));
    if (!in_body) {
      const std::size_t head = text.find("\r\n\r\n");
      if (head == std::string::npos) continue;
      text.erase(0, head + 4);
      in_body = true;
    }
    for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      Json response = Json::parse(text.substr(0, end), nullptr, false)["result"];
      const std::scoped_lock lock(mutex_);
      if (response.contains("created")) created_ = true;
      if (response.contains("events") || response.contains("canceled"))
        told_.push_back({std::move(response), now});
      more_.notify_all();
    }
  }
}

std::vector<EtcdWatch::Told> EtcdWatch::told() const {
  const std::scoped_lock lock(mutex_);
  return told_;
}

std::optional<Json> EtcdWatch::first(milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (!more_.wait_for(lock, patience, [this] { return !told_.empty(); })) return std::nullopt;
  return told_.front().response;
}

}  // namespace tenure::etcd
