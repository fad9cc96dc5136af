#include "cli/commands/init_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands/init_templates.h"
#include "core/base/check.h"
#include "lab/session/output_file.h"

namespace tenure::cli {

std::vector<std::string_view> init_subjects() {
  std::vector<std::string_view> subjects;
  for (const InitTemplate& each : init_templates()) subjects.push_back(each.name);
  return subjects;
}

ExitCode init_command(const InitOptions& options, Streams& streams) {
  const auto templates = init_templates();
  const auto found = std::find_if(templates.begin(), templates.end(),
                                  [&options](const InitTemplate& each) { return each.name == options.what; });
  CHECK(found != templates.end(), "the caller has checked the name");
  const std::filesystem::path folder = options.folder;
  const std::string design = (folder / fmt::format("{}.lua", found->name)).lexically_normal().string();
  const std::string scenario = (folder / fmt::format("{}.toml", found->name)).lexically_normal().string();
  for (const std::string& path : {design, scenario}) {
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) continue;
    print_error(streams, fmt::format("{} is there already; nothing was written", path));
    return ExitCode::io_error;
  }
  const auto write = [&streams](const std::string& path, std::string_view text) {
    const lab::FileWritten written = lab::write_file(path, text);
    if (written.good)
      streams.out << path << "\n";
    else
      print_error(streams, fmt::format("cannot write {}: {}", path, lab::system_reason(written.error)));
    return written.good;
  };
  if (!write(design, found->design) || !write(scenario, found->scenario)) return ExitCode::io_error;
  // The scenario's first line says what to do with it.
  const std::string_view first = found->scenario.substr(0, found->scenario.find('\n'));
  streams.out << first.substr(2) << "\n";
  return ExitCode::pass;
}

}  // namespace tenure::cli
