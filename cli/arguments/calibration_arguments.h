// The arguments of `tenure probe` and `tenure observe`.
//
// Thread rule: runs on the main thread.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments/options.h"
#include "cli/commands/observe_command.h"
#include "cli/commands/probe_command.h"

namespace CLI {
class App;
}

namespace tenure::cli {

// As CLI11 leaves them.
struct RawProbe {
  std::string target;
  std::string length = "10s";
  std::string every = "100ms";
  std::string write;
};

struct RawObserve {
  std::string path;
  std::string lease;
  std::string gaps;
};

// Each declares its command, which parses into `raw` and `format`.
CLI::App* declare_probe(CLI::App& app, RawProbe& raw, std::optional<std::string>& format);
CLI::App* declare_observe(CLI::App& app, RawObserve& raw, std::optional<std::string>& format);

// Throw UsageError.
ProbeOptions probe_options(const RawProbe& raw, Format format);
ObserveOptions observe_options(const RawObserve& raw, Format format);

}  // namespace tenure::cli
