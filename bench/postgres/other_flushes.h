// Somebody else on the server's disk, who writes a page of 8 KB over another and flushes it, every 10 ms. A disk does
// one flush after the other, so whoever commits waits for these, too.
//
// Thread rule: it flushes on a thread of its own until it is stopped.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "bench/postgres/latencies.h"

namespace tenure {

class OtherFlushes {
 public:
  // In a file of its own in the directory for temporary files, which has to be on the server's disk.
  OtherFlushes();
  ~OtherFlushes();
  Latencies stop();

 private:
  void work();

  std::string path_;
  int file_ = -1;
  Latencies times_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace tenure
