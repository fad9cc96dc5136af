// The arguments of `tenure check`, `check-node`, `audit` and `live`.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/arguments/arguments.h"
#include "cli/arguments/command.h"
#include "cli/commands/commands.h"
#include "cli/live/instance.h"
#include "format/syntax/units.h"

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

void declare_live(CLI::App& app, Commands& commands) {
  Command& command =
      commands.emplace_back(app, "live", "run a scenario with real processes, and check their journals");
  const auto options = std::make_shared<LiveOptions>();
  command.text("FILE", "", "one scenario file", options->path)->required();
  command.texts("COMMAND", "",
                "after --: what each instance runs instead of ours, with {node}, {store} and {journal}",
                options->command);
  command.takes_sets(options->sets);
  command.named("--store", "STORE",
                "sqlite, sqlite:FILE, postgres, postgres://... or 127.0.0.1:PORT (sqlite)", options->store,
                "a store");
  command.option("--seed", "N", "the seed of what is drawn; else the file's",
                 [options](const std::string& text) { options->seed = parse_seed(text); });
  command.option("--runs", "N", "run it so often, one after the other (1)",
                 [options](const std::string& text) { options->runs = parse_seeds(text).last; });
  command.flag("--compare-with-simulation", "simulate it 1,000 times as well, and compare what was measured",
               options->compares);
  command.option("--soak", "DURATION", "for so long, run it again and again with drawn faults and edits",
                 [options](const std::string& text) {
                   const Parsed<Duration> parsed = parse_duration(text);
                   if (!parsed.value) throw UsageError("--soak: " + parsed.problem);
                   options->soak = *parsed.value;
                 });
  command.takes_format(options->format, "text, or json, a line for each run (text)");
  command.takes_page_file(options->page);
  command.named("--keep", "FOLDER", "keep journals and logs there", options->keep, "the name of a folder");
  command.does([options](Streams& streams) { return live_command(*options, streams); });
}

// How `live` starts an instance of ours.
void declare_live_instance(CLI::App& app, Commands& commands) {
  Command& command = commands.emplace_back(app, "live-instance", "one instance of `live`, which starts it");
  command.app().group("");
  const auto options = std::make_shared<InstanceOptions>();
  command.text("FILE", "", "a scenario file that `live` has written", options->scenario)->required();
  const auto number = [](const std::string& text) { return std::stoll(text); };
  command.option("--node", "N", "from 1", [options, number](const std::string& text) {
    options->node = static_cast<std::uint32_t>(number(text));
  });
  command.text("--journal", "FILE", "its journal", options->journal);
  command.text("--clock", "FILE", "the steps of its clocks", options->clock);
  command.option("--rate", "PPM", "the rate of its clocks",
                 [options, number](const std::string& text) { options->rate_ppm = number(text); });
  command.option("--offset", "NS", "of its wall clock",
                 [options, number](const std::string& text) { options->wall_offset_ns = number(text); });
  command.texts("--awaits", "EVENT", "an event at which it waits", options->awaited);
  command.does([options](Streams& streams) {
    options->socket = 3;
    return run_instance(*options, streams);
  });
}

}  // namespace

void declare_checks(CLI::App& app, Commands& commands) {
  declare_check(app, commands);
  declare_check_node(app, commands);
  declare_audit(app, commands);
  declare_live(app, commands);
  declare_live_instance(app, commands);
}

}  // namespace tenure::cli
