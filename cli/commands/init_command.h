// `tenure init`: writes a design, a scenario and what else it takes to begin with.
//
// Thread rule: called from the main thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

struct InitOptions {
  std::string what;  // one of init_subjects()
  std::string folder = ".";
};

std::vector<std::string_view> init_subjects();

// Replaces no file.
ExitCode init_command(const InitOptions& options, Streams& streams);

}  // namespace tenure::cli
