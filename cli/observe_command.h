// `tenure observe`: what a saved watch of Kubernetes leases says of renewals and handovers.
//
// Thread rule: runs on the main thread.
#pragma once

#include <optional>
#include <string>

#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace CLI {
class App;
}

namespace tenure::cli {

struct RawObserve {
  std::string path;
  std::string lease;
  std::string gaps;
};

struct ObserveOptions {
  std::string path;
  std::string lease;  // this one alone; empty: all
  std::string gaps;   // a file for the gaps, as CSV; empty: none
  Format format = Format::text;
};

CLI::App* declare_observe(CLI::App& app, RawObserve& raw, std::optional<std::string>& format);
// Throws UsageError.
ObserveOptions observe_options(const RawObserve& raw, Format format);

ExitCode observe_command(const ObserveOptions& options, Streams& streams);

}  // namespace tenure::cli
