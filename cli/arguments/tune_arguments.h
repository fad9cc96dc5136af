// The arguments of `tenure tune`.
//
// Thread rule: runs on the main thread.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments/options.h"

namespace CLI {
class App;
}

namespace tenure::cli {

// As CLI11 leaves them; empty where nothing was given.
struct RawTune {
  std::optional<std::string> seeds;
  std::optional<std::string> format;
  std::optional<std::string> plot;
  std::optional<std::string> save;
  std::optional<std::string> folder;
  std::optional<std::string> shrink_time;
  bool no_save = false;
  bool resume = false;
  bool explain = false;
  bool no_shrink = false;
};

void declare_tune(CLI::App& command, RawTune& raw);
// Fills in its own part, and throws UsageError.
void read_tune(const RawTune& raw, TuneOptions& options);

}  // namespace tenure::cli
