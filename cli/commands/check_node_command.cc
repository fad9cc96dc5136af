#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/designs.h"
#include "cli/reports/text/text_format.h"
#include "format/parse/parse.h"
#include "format/parse/tail.h"
#include "sim/runner/run.h"

namespace tenure::cli {
namespace {

constexpr std::uint64_t kSeeds = 5;
// Nothing is demanded in the tail here. So a program that recovers for hours, or never, is not waited for.
constexpr Duration kShortestTail = Duration::minutes(1);
constexpr Duration kLongestTail = Duration::minutes(2);

// All that a node can be told, many times over: messages and replies that are late or do not come, stops, lives.
constexpr const char* kTroubled = R"(
format = 1
name = "check-node"
[sim]
duration = "3m"
tail = "8760h"
[cluster]
instances = 3
{}start_spread = "2s"
clock = {{ offset = "-300ms..300ms", rate_ppm = "-100..100" }}
[[fault]]
every = "20s"
action = "kill"
target = "one"
duration = "1s..15s"
[[fault]]
every = "25s"
action = "pause"
target = "one"
duration = "1s..12s"
[[fault]]
every = "30s"
action = "partition"
target = "one"
duration = "2s..20s"
[[fault]]
every = "40s"
action = "stop"
target = "one"
grace = "5s"
duration = "2s"
)";
constexpr const char* kWithStore = R"(
[[fault]]
every = "35s"
action = "store-down"
duration = "1s..15s"
)";

// What a scheduler is asked for, besides: the work of slots, and an edit.
constexpr const char* kWithSchedules = R"(
[work]
duration = "500ms"
[[schedule]]
name = "often"
every = "7s"
[[schedule]]
name = "later"
every = "20s"
[[change]]
at = "1m"
action = "update"
schedule = "later"
every = "11s"
)";

// What the scenario names the program as, in [cluster]. An election of ours has all that a scheduler may need.
std::string named(const std::vector<std::string>& command, const sim::DesignFiles::Found& program) {
  // TOML writes a list of texts as JSON does.
  const std::string it = fmt::format("= {{ command = {} }}\n", nlohmann::json(command).dump());
  const std::string elects = program.kind != nullptr ? "node " + it : "protocol = \"fenced-lease\"\n";
  return program.scheduler != nullptr ? elects + "scheduler_node " + it : elects;
}

// Its tail is what this program needs to recover. Null: the errors are printed.
std::optional<sim::Scenario> troubled_scenario(const std::vector<std::string>& command,
                                               const sim::DesignFiles::Found& program, Streams& streams) {
  const bool has_store = program.scheduler != nullptr || program.kind->store != nullptr;
  const std::string text = fmt::format(fmt::runtime(kTroubled), named(command, program)) +
                           (has_store ? kWithStore : "") +
                           (program.scheduler != nullptr ? kWithSchedules : "");
  format::ParseResult parsed =
      format::parse_scenario("check-node", text, {}, only_utc(), nullptr, {}, nullptr,
                             format::Unsafe::must_be_accepted, &design_files());
  for (const format::Diagnostic& each : parsed.diagnostics) print_error(streams, each.message);
  if (parsed.scenario)
    parsed.scenario->tail = std::clamp(format::needed_tail(*parsed.scenario), kShortestTail, kLongestTail);
  return std::move(parsed.scenario);
}

const sim::CheckResult& design_errors(const sim::RunResult& result) {
  return *std::find_if(result.checks.begin(), result.checks.end(),
                       [](const sim::CheckResult& check) { return check.name == "design-error"; });
}

}  // namespace

ExitCode check_node_command(const std::vector<std::string>& command, Streams& streams) {
  const sim::DesignFiles::Found found = design_files().find_program(command, ".", "");
  if (found.kind == nullptr && found.scheduler == nullptr) {
    print_error(streams, found.problem);
    return ExitCode::bad_scenario;
  }
  const std::optional<sim::Scenario> scenario = troubled_scenario(command, found, streams);
  const std::string_view name = found.kind != nullptr ? found.kind->name : found.scheduler->name;
  if (!scenario) return ExitCode::bad_scenario;
  std::uint64_t lives = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const sim::RunResult result = sim::run(*scenario, seed, {.story = false});
    const sim::CheckResult& errors = design_errors(result);
    lives += errors.opportunities;
    if (errors.violations.empty()) continue;
    streams.out << name << " does not keep the node protocol: " << errors.violations.front().message << "\n";
    return ExitCode::fail;
  }
  streams.out << name << " keeps the node protocol: " << lives << " lives in " << counted(kSeeds, "run")
              << "\n";
  return ExitCode::pass;
}

}  // namespace tenure::cli
