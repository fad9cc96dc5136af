// Stands between a store and its server on loopback, and loses what it is told to lose.
//
// Thread rule: one test; a thread of its own does the work and is gone with the object.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tenure::pgtest {

class Proxy {
 public:
  enum class Mode {
    pass,
    cut_reply,         // the next reply is read from the server and lost, and the connection with it
    cut_before_ready,  // all of the next reply is passed on, but for the server's word that it is ready again
    cut_request,       // the next request is lost, and the connection with it
    swallow,           // nothing is passed on any more, and nothing is closed
  };

  Proxy();
  ~Proxy();
  Proxy(const Proxy&) = delete;

  void set(Mode mode) { mode_ = mode; }
  // For a connection string: host and port of the proxy, without TLS.
  std::string address() const;
  std::uint16_t port() const { return port_; }

 private:
  struct Pair {
    int client = -1;
    int server = -1;
  };
  void work();
  void accept_one();
  // False: the pair is to be closed.
  bool from_client(const Pair& pair);
  bool from_server(const Pair& pair);

  std::atomic<Mode> mode_ = Mode::pass;
  std::atomic<bool> stopped_ = false;
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::vector<Pair> pairs_;
  std::thread thread_;
};

}  // namespace tenure::pgtest
