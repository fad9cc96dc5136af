// The reporters that the command line asked for.
//
// Thread rule: main thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/load.h"
#include "cli/reports/report.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// What the exit code is when there is nothing to run, because files have errors, which were printed, or there are none;
// else a pass. A JUnit file that was asked for says so then, so that none from before is taken for the verdict. `unit`:
// "scenario", "regression".
ExitCode judge_loaded(const Loaded& loaded, std::span<const std::string> paths, std::string_view unit,
                      const ReportOptions& options, Streams& streams);

// No report may be written over a scenario, nor two to one file; `trace` is a file that is written as well, or empty.
// False, and an error on stderr, for a mistake in the arguments.
bool check_report_paths(const ReportOptions& options, const Loaded& loaded, const std::string& trace,
                        Streams& streams);

// Opens the files and reads the baseline; nothing, and an error on stderr, when that cannot be done.
std::unique_ptr<Reporter> make_reporters(const ReportOptions& options, Streams& streams);

}  // namespace tenure::cli
