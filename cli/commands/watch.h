// `tenure run --watch`: again whenever a file is saved, until somebody ends it.
//
// Thread rule: main thread; reads the file system.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// Runs once, and then each time a scenario, a design or a file of measurements changes in the folders of `paths`. Each
// run is a process of its own: what one has read, the next one reads anew.
[[noreturn]] void run_on_changes(std::span<const std::string> paths, const std::function<ExitCode()>& run,
                                 Streams& streams);

}  // namespace tenure::cli
