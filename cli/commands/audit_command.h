// `tenure audit`: the journals of real processes, held against the simulator's checkers.
//
// Thread rule: runs on the main thread.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode audit_command(const AuditOptions& options, Streams& streams);

}  // namespace tenure::cli
