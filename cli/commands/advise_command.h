// `tenure advise`: whether a file's settings are safe for what it says, by what margin, at what cost, and what would be
// better.
//
// Thread rule: main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "format/syntax/document.h"

namespace tenure::cli {

struct AdviseOptions {
  std::string path;
  std::vector<sim::Override> sets;
  std::optional<std::uint64_t> seeds;
  unsigned jobs = 1;
};

ExitCode advise_command(const AdviseOptions& options, Streams& streams);

}  // namespace tenure::cli
