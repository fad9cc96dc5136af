// The arguments that say how commands report.
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
struct RawReport {
  std::optional<std::string> format;
  std::optional<std::string> junit;
  std::optional<std::string> summary;
  std::optional<std::string> events;
  std::optional<std::string> page;
  std::optional<std::string> window;
  std::optional<std::string> perfetto;
  std::optional<std::string> svg;
};

void declare_report(CLI::App& command, RawReport& raw);
// --report; and --report-window with it.
void declare_page_file(CLI::App& command, RawReport& raw);
void declare_page(CLI::App& command, RawReport& raw);
// What shows one run as it went: --events, --svg and --perfetto.
void declare_recording(CLI::App& command, RawReport& raw);
// These throw UsageError.
std::string read_page(const RawReport& raw);  // empty: none
ReportOptions read_report(const RawReport& raw);

}  // namespace tenure::cli
