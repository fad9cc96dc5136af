// `tenure check`: says whether scenario files are good, and runs nothing.
//
// Thread rule: called from the main thread.
#pragma once

#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace tenure::cli {

ExitCode check_command(const CheckOptions& options, Streams& streams);

}  // namespace tenure::cli
