// A page that stands alone: one file, no network, nothing that runs but our own scripts.
//
//   1. Its Content-Security-Policy allows nothing but the scripts and the style in it, each by its hash.
//   2. The data are JSON in a block that no browser executes. No text in them can end the block.
//   3. The same data give the same bytes.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace tenure::cli {

std::string page_of(std::string_view title, std::string_view data);

// The parts of the page, from cli/reports/html/page; put into the program by CMake.
struct PageFiles {
  std::string_view d3;  // the library, with its licence in front
  std::string_view script;
  std::string_view style;
  std::string_view body;
};
const PageFiles& page_files();

}  // namespace tenure::cli
