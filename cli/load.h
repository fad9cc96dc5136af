// Scenario files from disk: all of them, or every error in them.
//
// Thread rule: pure but for the file system.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "core/schedule/time_zone.h"
#include "format/plans/plans.h"
#include "format/syntax/document.h"

namespace tenure::cli {

// The time zones of this machine. One for the program: what is parsed holds on to them.
const TimeZones& system_zones();

struct Unusable {
  std::string path;
  std::string why;  // the first error, of perhaps many
};

struct Loaded {
  std::vector<sim::ScenarioFile> files;  // in the order given; those of a folder by name
  std::vector<Unusable> unusable;
  ExitCode code = ExitCode::pass;  // not pass: errors were found, and printed to stderr
};

// Each path is a file, or a folder whose *.toml files are meant. `consequence` ends the count of errors, "2 errors;
// nothing was run", and may be empty. Files that are good are loaded even where others are not.
Loaded load(std::span<const std::string> paths, std::span<const sim::Override> sets,
            std::string_view consequence, Streams& streams);

}  // namespace tenure::cli
