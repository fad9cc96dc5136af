// The arguments of `tenure schedule`, `tenure event` and `tenure leader`.
//
// Thread rule: runs on the main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/commands/event_command.h"
#include "cli/commands/schedule_command.h"

namespace CLI {
class App;
}

namespace tenure::cli {

// As CLI11 leaves them; empty where nothing was given.
struct RawClient {
  std::optional<std::string> server;
  std::optional<std::string> token_file;
  std::vector<std::string> names;
  std::string name;  // of a command that takes one
  std::optional<std::string> file;
  bool dry_run = false;
  std::string why;
  std::string key;
  std::string prefix;
  std::string state;
  std::vector<std::string> labels;
  std::optional<std::string> order;
  std::string from;
  std::string to;
  std::vector<std::string> slots;
  std::optional<std::uint32_t> count;
  std::string outcome;
  std::vector<std::string> keys;
  bool all = false;
  std::string schedule;
  bool discarded = false;
};

CLI::App* declare_schedule(CLI::App& app, RawClient& raw, std::optional<std::string>& format);
CLI::App* declare_event(CLI::App& app, RawClient& raw, std::optional<std::string>& format);
CLI::App* declare_leader(CLI::App& app, RawClient& raw, std::optional<std::string>& format);

// They read TENURE_SERVER, TENURE_TOKEN and the file with the token. Each throws UsageError.
ScheduleCommandOptions schedule_options(const CLI::App& schedule, const RawClient& raw, Format format);
EventCommandOptions event_options(const CLI::App& event, const RawClient& raw, Format format);
LeaderCommandOptions leader_options(const RawClient& raw, Format format);

}  // namespace tenure::cli
