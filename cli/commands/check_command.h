// `tenure check`: says whether scenario files are good, and runs nothing.
//
// Thread rule: called from the main thread.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode check_command(const CheckOptions& options, Streams& streams);

}  // namespace tenure::cli
