// Scenario files from disk: all of them, or every error in them.
//
// Thread rule: main thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "core/schedule/time_zone.h"
#include "format/plans/plans.h"
#include "format/syntax/document.h"
#include "lab/session/scenario_reader.h"
#include "lab/session/tune_task.h"

namespace tenure::cli {

// The time zones of this machine. One for the program: what is parsed holds on to them.
const TimeZones& system_zones();

// What scenario files of this program may name: those zones, the engines of reference stores, files of measurements.
lab::ScenarioReader scenario_reader(std::span<const format::Override> sets = {});

struct Unusable {
  std::string path;
  std::string why;  // the first error, of perhaps many
};

struct Loaded {
  std::vector<format::ScenarioFile> files;  // in the order given; those of a folder by name
  std::vector<Unusable> unusable;
  ExitCode code = ExitCode::pass;  // not pass: errors were found, and printed to stderr
};

// Says what is wrong with files. `consequence` ends the count of errors, "2 errors; nothing was run", and may be empty.
// Files that are good are loaded even where others are not.
Loaded say_problems(std::vector<lab::ReadScenario> read, std::string_view consequence, Streams& streams);
// Reads them (lab/session/scenario_reader.h), and says what is wrong.
Loaded load(std::span<const std::string> paths, std::span<const format::Override> sets,
            std::string_view consequence, Streams& streams);

// The one file of a command that tries its settings. Nothing, and `code` says why, when the path does not hold one
// scenario, or one with errors. `unsafe`: whether unsafe settings that the file does not accept are an error.
std::optional<lab::TuneTask> read_tune_file(std::string_view command, const std::string& path,
                                            const std::vector<format::Override>& sets, format::Unsafe unsafe,
                                            ExitCode& code, Streams& streams);

}  // namespace tenure::cli
