// `tenure tune`: try settings of a scenario, and say what they cost and where they stop being safe.
//
// Thread rule: main thread.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode tune_command(const TuneOptions& options, Streams& streams);

}  // namespace tenure::cli
