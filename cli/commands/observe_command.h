// `tenure observe`: what a saved watch of Kubernetes leases says of renewals and handovers.
//
// Thread rule: runs on the main thread.
#pragma once

#include <string>

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

struct ObserveOptions {
  std::string path;
  std::string lease;  // this one alone; empty: all
  std::string gaps;   // a file for the gaps, as CSV; empty: none
  Format format = Format::text;
};

ExitCode observe_command(const ObserveOptions& options, Streams& streams);

}  // namespace tenure::cli
