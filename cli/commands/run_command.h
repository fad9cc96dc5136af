// `tenure run`: scenarios and seeds in, verdicts out.
//
// Thread rule: called from the main thread; runs on several.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode run_command(const RunCommandOptions& options, Streams& streams);

}  // namespace tenure::cli
