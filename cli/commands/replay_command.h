// `tenure replay`: the failures that were kept, once more.
//
// Thread rule: runs on the main thread, which starts others.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode replay_command(const ReplayOptions& options, Streams& streams);

}  // namespace tenure::cli
