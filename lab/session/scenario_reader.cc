#include "lab/session/scenario_reader.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "format/syntax/diagnostic.h"
#include "lab/calibrate/calibrate.h"
#include "lab/session/read_file.h"

namespace tenure::lab {
namespace {

namespace fs = std::filesystem;

struct FoundFiles {
  std::string path;
  std::string problem;  // a folder that cannot be read
};

// Folders replaced by the scenarios in them and below them, in alphabetical order.
std::vector<FoundFiles> expand(std::span<const std::string> paths) {
  std::vector<FoundFiles> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back({path, {}});
      continue;
    }
    std::vector<std::string> inside;
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
      std::error_code unknown;  // what cannot be told from a file is tried as one
      if (it->path().extension() == ".toml" && !it->is_directory(unknown))
        inside.push_back(it->path().string());
    }
    if (error) files.push_back({path, error.message()});
    std::sort(inside.begin(), inside.end());
    for (std::string& file : inside) files.push_back({std::move(file), {}});
  }
  return files;
}

ReadScenario read_scenario(const std::string& path, const ScenarioReader& reader) {
  std::string unreadable;
  std::optional<std::string> text =
      read_file(path == kStandardInput ? "/dev/stdin" : path, format::kMaxBytes + 1, unreadable);
  if (!text) return {.path = path, .file = std::nullopt, .unreadable = unreadable};
  return parse_scenario_text(path, *std::move(text), reader);
}

}  // namespace

ReadScenario parse_scenario_text(const std::string& path, std::string text, const ScenarioReader& reader) {
  ReadScenario read{.path = path, .file = std::nullopt, .text = std::move(text)};
  format::ParseResult parsed =
      format::parse_scenario(path, read.text, reader.sets, *reader.zones, reader.own_protocol, reader.engines,
                             reader.data_files, reader.unsafe, reader.designs);
  if (parsed.scenario)
    read.file = parsed.file();
  else
    read.diagnostics = std::move(parsed.diagnostics);
  read.needs_tail = parsed.needs_tail;
  return read;
}

std::vector<ReadScenario> read_scenarios(std::span<const std::string> paths, const ScenarioReader& reader) {
  std::vector<ReadScenario> all;
  for (const auto& [path, problem] : expand(paths)) {
    if (problem.empty())
      all.push_back(read_scenario(path, reader));
    else
      all.push_back({.path = path, .file = std::nullopt, .unreadable = problem});
  }
  return all;
}

std::variant<sim::Measured, sim::DataProblem> DataFolder::read(std::string_view scenario,
                                                               const sim::DataSource& source) const {
  const std::filesystem::path path = std::filesystem::path(scenario).parent_path() / source.file;
  std::string why = "it is no regular file";  // a pipe would be waited for
  std::error_code unknown;                    // then opening it says why
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  const bool other = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  const auto bytes = other ? std::nullopt : read_file(path.string(), kMaxDataBytes + 1, why);
  if (!bytes)
    return sim::DataProblem{
        sim::DataProblem::Of::file, "cannot read " + format::printable(path.string(), 400) + ": " + why, {}};
  return calibrate(source.file, *bytes, source);
}

}  // namespace tenure::lab
