// `tenure schema`: JSON schemas (draft-04) of scenario files, from the table that validates them, and of what the
// program writes, from the tables that document it.
//
// Editors use the first to complete and to underline: `#:schema ./scenario.schema.json` at the top of a file.
//
// Thread rule: called from the main thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

std::string scenario_schema();
// What --of takes; the first is what it is without.
std::vector<std::string_view> schema_subjects();
// Throws UsageError for what is none of them.
ExitCode schema_command(const std::optional<std::string>& subject, Streams& streams);

}  // namespace tenure::cli
