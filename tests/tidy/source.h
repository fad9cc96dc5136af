// A source file as the tidy tests look at it.
//
// Thread rule: values and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenure::tidy {

struct Line {
  int number = 0;
  std::string text;
};

struct Source {
  std::string path;  // from the root of the repository: "core/base/time.h"
  std::string text;  // as it stands
  std::string code;  // without comments and without what string and character literals say; same lines

  bool is_header() const { return path.ends_with(".h"); }
  bool is_under(std::string_view folder) const { return path.starts_with(std::string(folder) + "/"); }
};

Source make_source(std::string path, std::string text);

// Every .h and .cc below `folders` (from the root of the repository), sorted by path.
std::vector<Source> sources_under(std::initializer_list<std::string_view> folders);

std::string read_file(const std::string& path_from_root);
std::vector<Line> lines_of(std::string_view text);

// What a rule found: "core/base/time.h:12: std::hash: …".
struct Finding {
  std::string path;
  int line = 0;
  std::string what;
};
std::string to_text(const std::vector<Finding>& findings);

}  // namespace tenure::tidy
