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
#include <vector>

namespace tenure::cli {

// The data of one run (page_data.h), under an id in the page: "data" of a page of one run; "case-1", "case-2", … of
// those of a page of many (cases_page.h).
struct PageBlock {
  std::string id;
  std::string json;
};

// `before`: HTML above the run, or in place of it until one is chosen; empty in a page of one run.
std::string page_of(std::string_view title, std::string_view before, const std::vector<PageBlock>& blocks);

// Text in HTML, in an element or in a quoted attribute.
std::string html_text(std::string_view text);

// The parts of the page, from cli/reports/html/page; put into the program by CMake.
struct PageFiles {
  std::string_view d3;  // the library, with its licence in front
  std::string_view script;
  std::string_view style;
  std::string_view body;
};
const PageFiles& page_files();

}  // namespace tenure::cli
