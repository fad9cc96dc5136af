// `tenure next`: the slots of an expression, from a time on.
//
// Thread rule: runs on the main thread.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode next_command(const NextOptions& options, Streams& streams);

}  // namespace tenure::cli
