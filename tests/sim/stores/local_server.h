// A real server as a process of a test's own, on a loopback port that is free. It ends with the test.
//
// Thread rule: one owner.
#pragma once

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tenure::testing {

inline sockaddr_in loopback_address(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback_address(0);
  socklen_t size = sizeof address;
  if (::bind(probe, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no free port");
  ::close(probe);
  return ntohs(address.sin_port);
}

// -1: nobody listens.
inline int connect_to(int port) {
  const int to = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback_address(port);
  if (::connect(to, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return to;
  ::close(to);
  return -1;
}

class LocalServer {
 public:
  LocalServer() = default;
  ~LocalServer() { kill(); }
  LocalServer(const LocalServer&) = delete;

  // What it says goes to `log`.
  void spawn(std::vector<std::string> command, const std::string& log) {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    const int to = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(to, STDOUT_FILENO);
    ::dup2(to, STDERR_FILENO);
    ::execvp(words.front(), words.data());
    ::_exit(127);
  }
  // Throws std::runtime_error when it ends, or does not answer in time.
  template <class Answers>
  void wait_for(const Answers& answers, std::chrono::seconds patience, const std::string& name) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
        throw std::runtime_error(name + " did not start; ./dev setup installs it");
      }
      if (answers()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill();
    throw std::runtime_error(name + " does not answer");
  }
  // Again at another port, for another program may take it: start(port) throws then.
  template <class Start>
  static void start_somewhere(const Start& start) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      try {
        return start(free_port());
      } catch (const std::runtime_error&) {
      }
    }
    start(free_port());
  }
  void kill() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  // It stands still, and goes on.
  void pause() const { ::kill(pid_, SIGSTOP); }
  void resume() const { ::kill(pid_, SIGCONT); }
  pid_t process() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

}  // namespace tenure::testing
