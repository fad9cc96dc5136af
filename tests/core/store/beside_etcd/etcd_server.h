// A real etcd of its own, with its data in a temporary directory, on loopback ports that are free. It can be killed and
// started again on the same data. Nothing is left behind.
//
// Thread rule: post() and watch() from any thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tenure::etcd {

using Json = nlohmann::json;
using Instant = std::chrono::steady_clock::time_point;

class EtcdServer {
 public:
  EtcdServer();
  ~EtcdServer();
  EtcdServer(const EtcdServer&) = delete;

  // Waits until it answers.
  void start();
  void kill();
  // The answer, or an object with `error`.
  Json post(const std::string& path, const Json& body) const;
  int port() const { return port_; }

 private:
  std::string directory_;
  int port_ = 0;
  int peer_port_ = 0;
  pid_t pid_ = -1;
};

// What a watch of the gateway is told, each with the moment at which it was read.
class EtcdWatch {
 public:
  struct Told {
    Json response;
    Instant at;
  };
  // It is made on the server when this returns.
  EtcdWatch(const EtcdServer& server, const Json& create_request);
  ~EtcdWatch();
  EtcdWatch(const EtcdWatch&) = delete;

  std::vector<Told> told() const;
  // The first response with events, or a cancellation; none within `patience`.
  std::optional<Json> first(std::chrono::milliseconds patience);

 private:
  void read();

  int socket_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable more_;
  std::vector<Told> told_;
  bool created_ = false;
  std::thread thread_;
};

}  // namespace tenure::etcd
