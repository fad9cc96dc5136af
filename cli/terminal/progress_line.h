// A line that says how far something is: one that changes on a terminal, a plain one now and then elsewhere.
//
// Thread rule: main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/terminal/terminal.h"
#include "core/base/time.h"

namespace tenure::cli {

class ProgressLine {
 public:
  explicit ProgressLine(Streams& streams) : streams_(streams) {}

  // Whether the last one was long enough ago. Lines need not be made up before.
  bool is_due() const;
  void show(const std::string& line);
  // Since it began.
  double seconds() const;
  double rate(std::uint64_t done) const;                                 // per second
  static std::string in_words(double seconds);                           // "3m 20s"
  double seconds_left(std::uint64_t done, std::uint64_t planned) const;  // at the rate so far

 private:
  using Clock = std::chrono::steady_clock;
  Streams& streams_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point shown_ = began_;
};

class HuntProgress {
 public:
  // `planned` cases at most, and no longer than `time`, if there are such; one of them there is.
  HuntProgress(std::string what, std::optional<std::uint64_t> planned, std::optional<Duration> time,
               Streams& streams);

  // `last_new`: the last case that showed new behaviour, counted from 1.
  void show(std::uint64_t done, std::uint64_t violations, std::uint64_t last_new);
  // What it took, on stderr: how long a hunt took is no result of it.
  void finish(std::uint64_t done);

 private:
  std::string time_left(std::uint64_t done) const;

  const std::string what_;
  const std::optional<std::uint64_t> planned_;
  const std::optional<Duration> time_;
  Streams& streams_;
  ProgressLine line_;
};

}  // namespace tenure::cli
