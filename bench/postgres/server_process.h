// A process of the server that serves one connection: its CPU time, by the kernel's books. Zero if the server is on
// another machine.
#pragma once

#include <cstdint>
#include <string>

namespace tenure {

struct CpuTime {
  std::int64_t ran_ns = 0;
  std::int64_t waited_ns = 0;  // ready to run, and without a CPU
};

class ServerProcess {
 public:
  // Of the connection that calls itself so (`application_name`), and is there.
  explicit ServerProcess(const std::string& application);

  const std::string& pid() const { return pid_; }
  CpuTime cpu_time() const;

 private:
  std::string pid_;
};

}  // namespace tenure
