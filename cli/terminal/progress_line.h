// A line that says how far something is: one that changes on a terminal, a plain one now and then elsewhere.
//
// Thread rule: main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/terminal/terminal.h"

namespace tenure::cli {

class ProgressLine {
 public:
  explicit ProgressLine(Streams& streams) : streams_(streams) {}

  // Whether the last one was long enough ago. Lines need not be made up before.
  bool is_due() const;
  void show(const std::string& line);
  // Since it began.
  double seconds() const;
  double rate(std::uint64_t done) const;  // per second

 private:
  using Clock = std::chrono::steady_clock;
  Streams& streams_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point shown_ = began_;
};

}  // namespace tenure::cli
