// The reporters that the command line asked for.
//
// Thread rule: main thread.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/options.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "sim/scenario/scenario.h"

namespace tenure::cli {

// No report may be written over a scenario, nor two to one file; `trace` is a file that is written as well, or empty.
// False, and an error on stderr, for a mistake in the arguments.
bool check_report_paths(const ReportOptions& options, std::span<const sim::Scenario> scenarios,
                        const std::string& trace, Streams& streams);

// Opens the files; nothing, and an error on stderr, when one cannot be written.
std::unique_ptr<Reporter> make_reporters(const ReportOptions& options, Streams& streams);

}  // namespace tenure::cli
