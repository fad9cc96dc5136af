// The files under good/: scenarios without mistakes, that between them use every key.
//
// Thread rule: reads the source tree.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tenure::format {

struct GoodFile {
  std::string name;
  std::string text;
};

inline std::vector<GoodFile> good_files() {
  std::vector<GoodFile> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TENURE_SOURCE_DIR) / "tests/format/good")) {
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    files.push_back({entry.path().stem().string(), text.str()});
  }
  std::sort(files.begin(), files.end(), [](const GoodFile& a, const GoodFile& b) { return a.name < b.name; });
  return files;
}

inline std::string good_file(const std::string& name) {
  for (const GoodFile& file : good_files())
    if (file.name == name) return file.text;
  return {};
}

}  // namespace tenure::format
