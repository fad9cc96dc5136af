// `tenure print migrations ENGINE`: the SQL that makes the tables of a store, for teams that have a tool of their own
// for migrations. A program finds what it made and changes nothing.
//
// Thread rule: called from the main thread.
#pragma once

#include <optional>
#include <string>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// Throws UsageError for what cannot be printed.
ExitCode print_command(const std::optional<std::string>& what, const std::optional<std::string>& engine,
                       Streams& streams);

}  // namespace tenure::cli
