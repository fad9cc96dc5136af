// `tenure print migrations ENGINE`: the SQL that makes the tables of a store, for teams that have a tool of their own
// for migrations. A program finds what it made and changes nothing.
//
// Thread rule: called from the main thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// What can be named as ENGINE.
std::vector<std::string_view> engines_with_migrations();

ExitCode print_migrations_command(const std::string& engine, Streams& streams);

}  // namespace tenure::cli
