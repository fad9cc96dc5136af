#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/reports/text/text_format.h"

namespace tenure::cli {

ExitCode check_command(const CheckOptions& options, Streams& streams) {
  const Loaded loaded = load(options.paths, options.sets, {}, streams);
  for (const format::ScenarioFile& file : loaded.files) {
    const sim::Scenario& scenario = file.scenario;
    streams.out << scenario.path << ": ok, " << scenario.protocol->name << " with "
                << counted(scenario.instances.size(), "instance") << ", "
                << counted(scenario.faults.size(), "fault") << ", "
                << counted(scenario.schedules.size(), "schedule") << "\n";
    for (const sim::DataNote& note : scenario.data)
      streams.out << "  " << note.key << ": " << note.text << "\n";
  }
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (!loaded.files.empty()) return ExitCode::pass;
  print_error(streams, "no scenario there; nothing was checked");
  return ExitCode::nothing_ran;
}

}  // namespace tenure::cli
