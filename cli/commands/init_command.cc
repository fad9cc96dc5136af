#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands/commands.h"
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
  const auto path_of = [&options](const InitFile& file) {
    return (std::filesystem::path(options.folder) / file.path).lexically_normal().string();
  };
  for (const InitFile& file : found->files) {
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path_of(file), error))) continue;
    print_error(streams, fmt::format("{} exists; nothing was written", path_of(file)));
    return ExitCode::io_error;
  }
  for (const InitFile& file : found->files) {
    const lab::FileWritten written = lab::write_file(path_of(file), file.text);
    if (!written.good) {
      print_error(streams,
                  fmt::format("cannot write {}: {}", path_of(file), lab::system_reason(written.error)));
      return ExitCode::io_error;
    }
    streams.out << path_of(file) << "\n";
  }
  const auto scenario = std::find_if(found->files.begin(), found->files.end(),
                                     [](const InitFile& each) { return each.path.ends_with(".toml"); });
  std::string next(scenario->text.substr(2, scenario->text.find('\n') - 2));
  const std::string path = path_of(*scenario);
  for (std::size_t at = 0; (at = next.find(scenario->path, at)) != std::string::npos; at += path.size())
    next.replace(at, scenario->path.size(), path);
  streams.out << next << "\n";
  return ExitCode::pass;
}

}  // namespace tenure::cli
