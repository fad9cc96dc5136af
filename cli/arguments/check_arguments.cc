// The arguments of `tenure check`, `check-node` and `audit`.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/arguments/command.h"
#include "cli/commands/commands.h"

namespace tenure::cli {
namespace {

void declare_check(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "check", "check scenarios for errors without running them");
  const auto options = std::make_shared<CheckOptions>();
  command.takes_files(options->paths, options->sets);
  command.does_at_once([options](Streams& streams) { return check_command(*options, streams); });
}

void declare_check_node(CLI::App& app, Commands& commands) {
  Command& command =
      commands.emplace_back(app, "check-node", "check that a program follows the node protocol");
  // What follows is the program's, flags included.
  command.app().prefix_command();
  command.app().fallthrough(false);
  const auto program = std::make_shared<std::string>();
  command.text("COMMAND", "...", "the program, and its arguments", *program)->required();
  command.does_at_once([program, &command](Streams& streams) {
    std::vector<std::string> line = command.app().remaining();
    line.insert(line.begin(), *program);
    return check_node_command(line, streams);
  });
}

void declare_audit(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "audit", "check journals written by real processes");
  const auto options = std::make_shared<AuditOptions>();
  command.texts("JOURNAL", "", "journals of processes on one store; all files of each", options->journals)
      ->required();
  command.takes_page_file(options->page);
  command.flag("--start-missing",
               "judge journals whose oldest files were deleted on purpose; the result is never a pass",
               options->start_missing);
  command.takes_format(options->format, "text or json (text)");
  command.does_at_once([options](Streams& streams) { return audit_command(*options, streams); });
}

}  // namespace

void declare_checks(CLI::App& app, Commands& commands) {
  declare_check(app, commands);
  declare_check_node(app, commands);
  declare_audit(app, commands);
}

}  // namespace tenure::cli
