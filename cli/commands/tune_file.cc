#include "cli/commands/tune_file.h"

#include <fmt/format.h>

#include <utility>

#include "cli/load.h"
#include "cli/reports/text/text_format.h"
#include "lab/session/read_file.h"

namespace tenure::cli {

std::optional<lab::TuneTask> read_tune_file(std::string_view command, const std::string& path,
                                            const std::vector<format::Override>& sets, ExitCode& code,
                                            Streams& streams) {
  const std::vector<std::string> paths = {path};
  const Loaded loaded = load(paths, sets, "nothing was run", streams);
  code = loaded.code;
  if (loaded.files.size() != 1 || code != ExitCode::pass) {
    if (code == ExitCode::pass) {
      print_error(streams, fmt::format("{} takes one file, and {} holds {}", command, path,
                                       counted(loaded.files.size(), "scenario")));
      code = ExitCode::usage;
    }
    return std::nullopt;
  }
  const format::ScenarioFile& file = loaded.files.front();
  std::string why;
  std::string text = lab::read_file(file.scenario.path, format::kMaxBytes, why).value_or("");
  return lab::tune_task(file, std::move(text), scenario_reader(sets));
}

}  // namespace tenure::cli
