// tenure.toml: what options have where the command line says nothing of them.
//
//     jobs = 4                  # of each command that takes --jobs
//     [hunt]
//     seeds = "1..5000"         # of `tenure hunt`
//
// The file in the current folder counts, else the nearest one in a folder above.
//
// Thread rule: main thread; reads the file system.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments/command.h"

namespace tenure::cli {

// Empty: there is none.
std::string find_defaults();

// Gives the chosen command the defaults of that file. What is wrong with it is said; then the exit code is returned.
std::optional<ExitCode> take_defaults(const std::string& path, const Commands& commands, Command& chosen,
                                      Streams& streams);

}  // namespace tenure::cli
