// The arguments of `tenure hunt`, `tenure shrink` and `tenure replay`.
//
// Thread rule: runs on the main thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/options.h"

namespace CLI {
class App;
}

namespace tenure::cli {

// As CLI11 leaves them; empty where nothing was given. What other commands take as well is read by app.cc.
struct RawHunt {
  std::optional<std::string> time;
  std::optional<std::string> shrink_time;
  std::optional<std::string> folder;
  std::optional<std::string> out;
  std::vector<std::string> kept;  // files or folders to replay
  bool keep_going = false;
  bool unguided = false;
  bool check_determinism = false;
  bool no_shrink = false;
  bool no_replay = false;
  bool exhaustive = false;
};

// The options that are the command's own.
void declare_hunt(CLI::App& command, RawHunt& raw);
void declare_shrink(CLI::App& command, RawHunt& raw);
void declare_replay(CLI::App& command, RawHunt& raw);

// Each fills in its own part, and throws UsageError.
void read_hunt(const RawHunt& raw, HuntOptions& options);
void read_shrink(const RawHunt& raw, ShrinkOptions& options);

}  // namespace tenure::cli
