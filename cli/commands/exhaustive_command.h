// `tenure hunt --exhaustive`: every interleaving of a small cluster, within the bounds of [exhaustive].
//
// Thread rule: runs on the main thread, and starts none.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// A violation fails. A space that is not finished, and shows none, is inconclusive.
ExitCode exhaustive_command(const HuntOptions& options, Streams& streams);

}  // namespace tenure::cli
