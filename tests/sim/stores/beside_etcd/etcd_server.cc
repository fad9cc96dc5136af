#include "tests/sim/stores/beside_etcd/etcd_server.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace tenure::etcd {
namespace {

using std::chrono::milliseconds;

std::string url(int port) { return fmt::format("http://127.0.0.1:{}", port); }

// HTTP/1.0: the answer ends with the connection, and comes as it is.
int ask(int port, const std::string& path, const std::string& body) {
  const int to = testing::connect_to(port);
  if (to < 0) return -1;
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
  testing::LocalServer::start_somewhere([this](int port) {
    port_ = port;
    const int peer_port = testing::free_port();
    member_ = {"default", peer_port, peer_port, "default=" + url(peer_port)};
    std::filesystem::remove_all(folder_.path() + "/data");
    start();
  });
}

EtcdServer::EtcdServer(EtcdMember member) : port_(testing::free_port()), member_(std::move(member)) {
  spawn();
}

void EtcdServer::spawn() {
  process_.spawn(
      {"etcd", "--name", member_.name, "--data-dir", folder_.path() + "/data", "--listen-client-urls",
       url(port_), "--advertise-client-urls", url(port_), "--listen-peer-urls", url(member_.peer_port),
       "--initial-advertise-peer-urls", url(member_.link_port), "--initial-cluster", member_.cluster},
      folder_.path() + "/log");
}

void EtcdServer::start() {
  spawn();
  process_.wait_for([this] { return answers(); }, std::chrono::seconds(20), "etcd");
}

bool EtcdServer::answers() const { return post("/v3/kv/range", {{"key", "eA=="}}).contains("header"); }

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
    members.push_back({name, testing::free_port(), testing::free_port(), {}});
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
