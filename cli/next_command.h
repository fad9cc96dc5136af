// `tenure next`: the slots of an expression, from a time on.
//
// Thread rule: runs on the main thread.
#pragma once

#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace tenure::cli {

ExitCode next_command(const NextOptions& options, Streams& streams);

}  // namespace tenure::cli
