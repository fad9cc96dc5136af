// `tenure hunt --exhaustive`: every interleaving of a small cluster, within the bounds of [exhaustive].
//
// Thread rule: runs on the main thread, and starts none.
#pragma once

#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace tenure::cli {

// A violation fails. A space that is not finished, and shows none, is inconclusive.
ExitCode exhaustive_command(const HuntOptions& options, Streams& streams);

}  // namespace tenure::cli
