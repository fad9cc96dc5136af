// The one scenario file of commands that try its settings.
//
// Thread rule: main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "format/syntax/document.h"
#include "lab/session/tune_task.h"

namespace tenure::cli {

// Nothing, and `code` says why, when the path does not hold one scenario, or one with errors.
std::optional<lab::TuneTask> read_tune_file(std::string_view command, const std::string& path,
                                            const std::vector<format::Override>& sets, ExitCode& code,
                                            Streams& streams);

}  // namespace tenure::cli
