#include "tests/tidy/source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tenure::tidy {
namespace {

namespace fs = std::filesystem;

// The end of the literal or comment that begins at `at`, or `at` itself if none does.
std::size_t end_of_text(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return std::min(text.find("*/", at + 2) + 2, text.size());
  if (rest.starts_with("R\"")) {
    const std::size_t open = text.find('(', at);
    if (open == std::string_view::npos) return text.size();
    const std::string close = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
    return std::min(text.find(close, open) + close.size(), text.size());
  }
  const char quote = text[at];
  const bool separator = quote == '\'' && at > 0 && std::isxdigit(static_cast<unsigned char>(text[at - 1]));
  if ((quote != '"' && quote != '\'') || separator) return at;
  std::size_t i = at + 1;
  while (i < text.size() && text[i] != quote && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

// In `#include "x.h"` the text is what matters.
bool is_include(std::string_view text, std::size_t at) {
  const std::size_t start = text.rfind('\n', at) + 1;  // npos + 1 is 0
  const std::string_view before = text.substr(start, at - start);
  return before.starts_with('#') && before.find("include") != std::string_view::npos;
}

std::string blank_out(std::string_view text) {
  std::string code(text);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text[i] == '"' && is_include(text, i) ? i : end_of_text(text, i);
    if (end == i) {
      ++i;
      continue;
    }
    for (; i < end; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
  }
  return code;
}

}  // namespace

Source make_source(std::string path, std::string text) {
  std::string code = blank_out(text);
  return {std::move(path), std::move(text), std::move(code)};
}

std::string read_file(const std::string& path_from_root) {
  std::ifstream file(fs::path(TENURE_SOURCE_DIR) / path_from_root, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path_from_root);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Read by users as it stands, in other languages.
constexpr std::string_view kDesigns = "scenarios/designs";

std::vector<Source> sources_under(std::initializer_list<std::string_view> folders) {
  std::vector<std::string> paths;
  const fs::path root(TENURE_SOURCE_DIR);
  for (const std::string_view folder : folders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".h" || extension == ".cc" || folder == kDesigns)
        paths.push_back(fs::relative(entry.path(), root).generic_string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Source> sources;
  for (const std::string& path : paths) sources.push_back(make_source(path, read_file(path)));
  return sources;
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);)
    lines.push_back({static_cast<int>(lines.size()) + 1, line});
  return lines;
}

std::string to_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += finding.path + ":" + std::to_string(finding.line) + ": " + finding.what + "\n";
  }
  return text;
}

}  // namespace tenure::tidy
