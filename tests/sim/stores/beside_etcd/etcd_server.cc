#include "tests/sim/stores/beside_etcd/etcd_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

std::string url(int port) { return fmt::format("http://127.0.0.1:{}", port); }

std::string new_directory() {
  std::string name = std::filesystem::temp_directory_path() / "etcd-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  return name;
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

std::vector<std::string> command_of(const std::vector<EtcdMember>& members) {
  std::vector<std::string> words = {"/usr/bin/python3",
                                    TENURE_SOURCE_DIR "/tests/sim/stores/beside_etcd/links.py"};
  for (const EtcdMember& each : members)
    words.push_back(fmt::format("{}={}:{}", each.name, each.link_port, each.peer_port));
  return words;
}

}  // namespace

EtcdServer::EtcdServer() {
  directory_ = new_directory();
  for (int attempt = 0; attempt < 5 && pid_ < 0; ++attempt) {  // another program may take the port
    port_ = free_port();
    const int peer_port = free_port();
    member_ = {"default", peer_port, peer_port, "default=" + url(peer_port)};
    std::filesystem::remove_all(directory_ + "/data");
    try {
      start();
    } catch (const std::runtime_error&) {
      if (attempt == 4) throw;
    }
  }
}

EtcdServer::EtcdServer(EtcdMember member)
    : directory_(new_directory()), port_(free_port()), member_(std::move(member)) {
  spawn();
}

EtcdServer::~EtcdServer() {
  kill();
  std::filesystem::remove_all(directory_);
}

void EtcdServer::spawn() {
  const std::string client = url(port_);
  const std::string peer = url(member_.peer_port);
  const std::string link = url(member_.link_port);
  const std::string data = directory_ + "/data";
  const std::string log = directory_ + "/log";
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const int to = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(to, STDOUT_FILENO);
  ::dup2(to, STDERR_FILENO);
  ::execlp("etcd", "etcd", "--name", member_.name.c_str(), "--data-dir", data.c_str(), "--listen-client-urls",
           client.c_str(), "--advertise-client-urls", client.c_str(), "--listen-peer-urls", peer.c_str(),
           "--initial-advertise-peer-urls", link.c_str(), "--initial-cluster", member_.cluster.c_str(),
           nullptr);
  ::_exit(127);
}

void EtcdServer::start() {
  spawn();
  for (int i = 0; i < 400; ++i) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      throw std::runtime_error("etcd did not start; ./dev setup installs etcd-server");
    }
    if (answers()) return;
    std::this_thread::sleep_for(milliseconds(10));
  }
  kill();
  throw std::runtime_error("etcd does not answer");
}

bool EtcdServer::answers() const { return post("/v3/kv/range", {{"key", "eA=="}}).contains("header"); }

void EtcdServer::pause() const { ::kill(pid_, SIGSTOP); }
void EtcdServer::resume() const { ::kill(pid_, SIGCONT); }

EtcdLinks::EtcdLinks(const std::vector<EtcdMember>& members) : child_(command_of(members)) { hear("ready"); }

void EtcdLinks::cut(const EtcdServer& server) const {
  const Json status = server.post("/v3/maintenance/status", Json::object());
  const std::uint64_t id = std::stoull(status.at("header").at("member_id").get<std::string>());
  say(fmt::format("cut {} {:x}", server.name(), id));
}

void EtcdLinks::mend() const { say("mend"); }

void EtcdLinks::say(const std::string& command) const {
  child_.say(command);
  hear("done");
}

void EtcdLinks::hear(const std::string& answer) const {
  const std::string said = child_.hear();
  if (said != answer) throw std::runtime_error(fmt::format("links.py says `{}`", said));
}

StalledDisk::StalledDisk(const EtcdServer& server) {
  const std::string traced = std::to_string(server.process());
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::execlp("strace", "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e",
             "inject=fsync,fdatasync:delay_enter=600000000", "-p", traced.c_str(), nullptr);
    ::_exit(127);
  }
  for (int i = 0; i < 500; ++i) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) break;
    std::ifstream status("/proc/" + traced + "/status");
    for (std::string line; std::getline(status, line);)
      if (line == "TracerPid:\t" + std::to_string(pid_)) return;
    std::this_thread::sleep_for(milliseconds(10));
  }
  throw std::runtime_error("strace cannot trace etcd");
}

StalledDisk::~StalledDisk() {
  ::kill(pid_, SIGTERM);  // it lets go of the server, which goes on
  ::waitpid(pid_, nullptr, 0);
}

EtcdCluster::EtcdCluster() {
  std::vector<EtcdMember> members;
  std::string cluster;
  for (const char* name : {"one", "two", "three"}) {
    members.push_back({name, free_port(), free_port(), {}});
    cluster += fmt::format("{}{}={}", cluster.empty() ? "" : ",", name, url(members.back().link_port));
  }
  links_ = std::make_unique<EtcdLinks>(members);
  for (EtcdMember& member : members) {
    member.cluster = cluster;
    servers_.push_back(std::make_unique<EtcdServer>(member));
  }
  for (int i = 0; i < 600; ++i) {
    if (std::ranges::all_of(servers_, [](const auto& server) { return server->answers(); })) return;
    std::this_thread::sleep_for(milliseconds(100));
  }
  throw std::runtime_error("three etcds do not answer");
}

const EtcdServer& EtcdCluster::leader() const {
  for (const auto& server : servers_) {
    const Json status = server->post("/v3/maintenance/status", Json::object());
    if (status.contains("leader") && status["leader"] == status["header"]["member_id"]) return *server;
  }
  throw std::runtime_error("no etcd leads");
}

std::vector<const EtcdServer*> EtcdCluster::followers() const {
  std::vector<const EtcdServer*> others;
  const EtcdServer* const first = &leader();
  for (const auto& server : servers_)
    if (server.get() != first) others.push_back(server.get());
  return others;
}

void EtcdServer::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

Json EtcdServer::post(const std::string& path, const Json& body, milliseconds patience) const {
  const int from = ask(port_, path, body.dump());
  if (from < 0) return {{"error", "no connection"}};
  const timeval limit{patience.count() / 1'000, patience.count() % 1'000 * 1'000};
  ::setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
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

std::vector<EtcdWatch::NarratedEvent> EtcdWatch::told() const {
  const std::scoped_lock lock(mutex_);
  return told_;
}

std::optional<Json> EtcdWatch::first(milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (!more_.wait_for(lock, patience, [this] { return !told_.empty(); })) return std::nullopt;
  return told_.front().response;
}

}  // namespace tenure::etcd
