// `tenure schema`: the JSON schema (draft-04) of scenario files, from the table that validates them.
//
// Editors use it to complete and to underline: `#:schema ./scenario.schema.json` at the top of a file.
//
// Thread rule: called from the main thread.
#pragma once

#include <string>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

std::string scenario_schema();
ExitCode schema_command(Streams& streams);

}  // namespace tenure::cli
