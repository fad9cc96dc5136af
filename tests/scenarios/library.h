// The files of scenarios/ and of the folders in it, parsed; except for designs/, which need engines and languages that
// are not linked here, and replays/, which `tenure replay` judges.
//
// Thread rule: a value.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "adapters/tzdb/tzdb.h"
#include "format/parse/parse.h"

namespace tenure::sim {

// Sorted, so that a test has the same name on every machine.
inline std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  using Walk = std::filesystem::recursive_directory_iterator;
  for (Walk each(TENURE_SOURCE_DIR "/scenarios"); each != Walk(); ++each) {
    const std::filesystem::path& path = each->path();
    if (path.filename() == "designs" || path.filename() == "replays") each.disable_recursion_pending();
    if (path.extension() == ".toml") files.push_back(path.string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline format::ScenarioFile file_at(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  static const Tzdb zones;
  const format::ParseResult result = format::parse_scenario(path, text, {}, zones);
  for (const format::Diagnostic& diagnostic : result.diagnostics)
    ADD_FAILURE() << path << ":" << diagnostic.line << ": " << diagnostic.message;
  return result.scenario ? result.file() : format::ScenarioFile{};
}
inline Scenario parsed_file(const std::string& path) { return file_at(path).scenario; }

inline std::vector<Scenario> library() {
  std::vector<Scenario> scenarios;
  for (const std::string& path : scenario_files()) scenarios.push_back(parsed_file(path));
  return scenarios;
}

}  // namespace tenure::sim
