// `tenure explain`: why one run went wrong.
//
// Thread rule: main thread.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// As `run` of it ends.
ExitCode explain_command(const ExplainOptions& options, Streams& streams);

}  // namespace tenure::cli
