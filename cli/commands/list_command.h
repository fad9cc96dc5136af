// `tenure list`: what a scenario can name, from the registries.
//
// Thread rule: called from the main thread.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// What `list` takes: protocols, schedulers, …
std::vector<std::string_view> list_subjects();

ExitCode list_command(const ListOptions& options, Streams& streams);

}  // namespace tenure::cli
