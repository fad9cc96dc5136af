// Tests as text: a file of blocks, each a line `== NAME` or `== NAME: TITLE` and the lines up to the next. Lines before
// the first block are remarks.
//
// Thread rule: reads the source tree.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenure::testing {

struct Block {
  std::string name, title, text;
};

// `path` is relative to the source tree.
inline std::vector<Block> blocks_of(const std::string& path) {
  std::ifstream lines(TENURE_SOURCE_DIR "/" + path);
  if (!lines) throw std::runtime_error("no such file: " + path);
  std::vector<Block> blocks;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("== ")) {
      const std::size_t colon = line.find(": ");
      const bool titled = colon != std::string::npos;
      blocks.push_back({.name = line.substr(3, titled ? colon - 3 : colon),
                        .title = titled ? line.substr(colon + 2) : "",
                        .text = {}});
    } else if (!blocks.empty()) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

}  // namespace tenure::testing
