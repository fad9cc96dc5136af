// `tenure run`: scenarios and seeds in, verdicts out.
//
// Thread rule: called from the main thread; runs on several.
#pragma once

#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace tenure::cli {

ExitCode run_command(const RunOptions& options, Streams& streams);

}  // namespace tenure::cli
