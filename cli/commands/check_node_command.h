// `tenure check-node`: says whether a program keeps the node protocol (docs/node-protocol.md).
//
// Thread rule: called from the main thread.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

ExitCode check_node_command(const std::vector<std::string>& command, Streams& streams);

}  // namespace tenure::cli
