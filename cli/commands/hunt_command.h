// `tenure hunt`, `tenure shrink` and `tenure replay`: many seeds, the smallest failure, and the failures that were
// kept.
//
// Thread rule: runs on the main thread, which starts others.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode hunt_command(const HuntOptions& options, Streams& streams);
ExitCode shrink_command(const ShrinkOptions& options, Streams& streams);
ExitCode replay_command(const ReplayOptions& options, Streams& streams);

}  // namespace tenure::cli
