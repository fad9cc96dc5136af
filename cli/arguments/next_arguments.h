// The arguments of `tenure next`.
//
// Thread rule: runs on the main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/options.h"

namespace CLI {
class App;
}

namespace tenure::cli {

// As CLI11 leaves them; empty where nothing was given.
struct RawNext {
  std::vector<std::string> expression;  // one, unless the quotes were forgotten
  std::string every;
  std::vector<std::string> at;
  std::string once;
  std::string start;
  std::string end;
  std::string timezone;
  std::string dst_gap;
  std::string dst_overlap;
  std::string from;
  std::string until;
  std::uint32_t count = 10;
  bool previous = false;
  std::string jitter;
  std::string jitter_per;
  std::optional<std::uint64_t> jitter_seed;
  std::optional<std::uint32_t> schedule_id;
};

// Declares the command, which parses into `raw` and `format`.
CLI::App* declare_next(CLI::App& app, RawNext& raw, std::optional<std::string>& format);

// Throws UsageError.
NextOptions next_options(const RawNext& raw, Format format);

}  // namespace tenure::cli
