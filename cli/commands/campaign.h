// Runs shared out over many machines: each makes a part and saves what it says (lab/session/part_file.h), and
// `tenure merge` reports on all of them.
//
// Thread rule: main thread; parts start others.
#pragma once

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "lab/session/shard.h"

namespace tenure::cli {

// "3/16", or "auto": what the array job, the indexed job or the matrix says that this process is a task of. Throws
// UsageError.
lab::Shard read_shard(const std::string& text);

// A part of `tenure run`, or all of it: goes on where its file ends. What runs say is no matter of the exit code, but
// of the merge.
ExitCode run_part(const RunCommandOptions& options, const std::vector<format::ScenarioFile>& files,
                  Streams& streams);

}  // namespace tenure::cli
