// The arguments of `tenure compare`.
//
// Thread rule: runs on the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/options.h"

namespace CLI {
class App;
}

namespace tenure::cli {

// As CLI11 leaves them; empty where nothing was given.
struct RawCompare {
  std::vector<std::string> designs;
  std::vector<std::string> against;
  std::optional<std::string> equal;
  std::optional<std::string> seeds;
  std::optional<std::string> format;
  std::optional<std::string> folder;
  std::optional<std::string> shrink_time;
  bool no_shrink = false;
  std::optional<std::string> save;
  bool resume = false;
};

CLI::App* declare_compare(CLI::App& app, RawCompare& raw);
// Throws UsageError.
CompareOptions read_compare(const RawCompare& raw, const ReportOptions& report, unsigned jobs);

}  // namespace tenure::cli
