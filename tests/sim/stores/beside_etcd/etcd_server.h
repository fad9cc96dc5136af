// Real etcds of its own, with their data in temporary directories, on loopback ports that are free. One can be killed
// and started again on the same data; one of a cluster can be made to stand still, or be cut off from the others.
// Nothing is left behind.
//
// Thread rule: post() and watch() from any thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/sim/stores/local_server.h"
#include "tests/support/child.h"
#include "tests/support/temporary.h"

namespace tenure::etcd {

using Json = nlohmann::json;
using Instant = std::chrono::steady_clock::time_point;

// One of a cluster: its name, where it listens to the others, where they reach it, and all of them as etcd's
// --initial-cluster has it.
struct EtcdMember {
  std::string name;
  int peer_port = 0;
  int link_port = 0;
  std::string cluster;
};

class EtcdServer {
 public:
  EtcdServer();
  // Does not wait: a cluster answers when a majority of it is there.
  explicit EtcdServer(EtcdMember member);

  // Waits until it answers.
  void start();
  void kill() { process_.kill(); }
  // It stands still, and goes on.
  void pause() const { process_.pause(); }
  void resume() const { process_.resume(); }
  // The answer, or an object with `error`, also when there is none within `patience`; zero: it waits for as long as the
  // server does.
  Json post(const std::string& path, const Json& body, std::chrono::milliseconds patience = {}) const;
  int port() const { return port_; }

  bool answers() const;
  const std::string& name() const { return member_.name; }
  pid_t process() const { return process_.process(); }

 private:
  void spawn();

  testing::TemporaryFolder folder_;
  int port_ = 0;
  EtcdMember member_;
  testing::LocalServer process_;
};

// The network between the servers of a cluster: links.py, as a process of its own.
class EtcdLinks {
 public:
  explicit EtcdLinks(const std::vector<EtcdMember>& members);

  // Nothing passes between this server and the others, until mend().
  void cut(const EtcdServer& server) const;
  void mend() const;

 private:
  void say(const std::string& command) const;
  void hear(const std::string& answer) const;

  testing::Child child_;
};

// As long as it lives, what this server has to have on its disk does not get there: strace holds up its fdatasync().
class StalledDisk {
 public:
  // Throws std::runtime_error where a process may not be traced.
  explicit StalledDisk(const EtcdServer& server);
  ~StalledDisk();
  StalledDisk(const StalledDisk&) = delete;

 private:
  pid_t pid_ = -1;
};

// Three servers, of which one leads.
class EtcdCluster {
 public:
  // Waits until it answers.
  EtcdCluster();
  const EtcdServer& leader() const;
  std::vector<const EtcdServer*> followers() const;
  const EtcdLinks& links() const { return *links_; }

 private:
  std::unique_ptr<EtcdLinks> links_;
  std::vector<std::unique_ptr<EtcdServer>> servers_;
};

// What a watch of the gateway is told, each with the moment at which it was read.
class EtcdWatch {
 public:
  struct NarratedEvent {
    Json response;
    Instant at;
  };
  // It is made on the server when this returns.
  EtcdWatch(const EtcdServer& server, const Json& create_request);
  ~EtcdWatch();
  EtcdWatch(const EtcdWatch&) = delete;

  std::vector<NarratedEvent> told() const;
  // The first response with events, or a cancellation; none within `patience`.
  std::optional<Json> first(std::chrono::milliseconds patience);

 private:
  void read();

  int socket_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable more_;
  std::vector<NarratedEvent> told_;
  bool created_ = false;
  std::thread thread_;
};

}  // namespace tenure::etcd
