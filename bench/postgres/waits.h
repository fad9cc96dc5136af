// What a request waits for while others keep the server busy, by looking at its process again and again.
//
// From pg_stat_activity: which lock, disk or log it waits for at the moment. From the kernel, if the server is on this
// machine: for how long the process ran, and for how long it could have run and had no CPU.
//
// Thread rule: measure() on one thread; WaitSampler looks on a thread of its own until it is destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/postgres/latencies.h"
#include "bench/postgres/server_process.h"

namespace tenure {

class WaitSampler {
 public:
  // As of ServerProcess.
  explicit WaitSampler(const std::string& application);
  ~WaitSampler();

  template <class Work>
  void measure(Work work) {
    const CpuTime before = process_.cpu_time();
    const auto begin = Steady::now();
    work();
    const auto end = Steady::now();
    const CpuTime after = process_.cpu_time();
    requests_.push_back({begin, end, after.ran_ns - before.ran_ns, after.waited_ns - before.waited_ns});
  }
  // Of the requests that took longer than this; the looks at them by what was seen.
  std::string text(std::chrono::microseconds longer_than);

 private:
  struct Request {
    Steady::time_point begin, end;
    std::int64_t ran_ns, waited_ns;
  };
  struct Look {
    Steady::time_point at;
    std::string wait;
  };
  void look();

  const ServerProcess process_;
  std::vector<Request> requests_;
  std::mutex mutex_;
  std::vector<Look> looks_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace tenure
