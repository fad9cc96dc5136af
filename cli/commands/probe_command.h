// `tenure probe`: measures a real store for a while, and writes the [store] table that a scenario can take.
//
// Thread rule: runs on the main thread.
#pragma once

#include <string>

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "core/base/time.h"

namespace tenure::cli {

struct ProbeOptions {
  std::string target;  // a connection string of libpq, or a file of SQLite
  Duration length;
  Duration every;
  std::string write;  // a file for the tables; empty: they are printed
  Format format = Format::text;
};

ExitCode probe_command(const ProbeOptions& options, Streams& streams);

}  // namespace tenure::cli
