// `tenure hunt`: many seeds, and the smallest failure of each kind.
//
// Thread rule: runs on the main thread, which starts others.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode hunt_command(const HuntOptions& options, Streams& streams);

}  // namespace tenure::cli
