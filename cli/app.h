// The command line: arguments in, one command run, an exit code out.
//
// Thread rule: called once, from the main thread.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// `arguments` without the program's name.
ExitCode run_app(const std::vector<std::string>& arguments, Streams& streams);

}  // namespace tenure::cli
