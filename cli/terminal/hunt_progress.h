// How far a hunt is: one line that changes on a terminal, a plain line now and then elsewhere.
//
// Thread rule: main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/terminal/progress_line.h"
#include "cli/terminal/terminal.h"
#include "core/base/time.h"

namespace tenure::cli {

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
