// `tenure tune --explain`: theory of the file's own setting, and what of it simulation confirms.
//
// Thread rule: main thread.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "lab/session/tune_task.h"

namespace tenure::cli {

ExitCode explain_setting(const lab::TuneTask& task, const TuneOptions& options, Streams& streams);

}  // namespace tenure::cli
