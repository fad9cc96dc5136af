// `tenure compare`.
//
// Thread rule: main thread.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode compare_command(const CompareOptions& options, Streams& streams);

}  // namespace tenure::cli
