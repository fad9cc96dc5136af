// `tenure shrink`: the smallest scenario that fails in the same way.
//
// Thread rule: runs on the main thread, which starts others.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode shrink_command(const ShrinkOptions& options, Streams& streams);

}  // namespace tenure::cli
