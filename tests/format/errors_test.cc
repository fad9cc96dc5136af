// Every error there is, where it is found: errors/*.toml are files with mistakes, and below each mistake a
// comment that underlines it, a column further to the right than the place is, and says what is said of it:
//
//   retry_perod = "2s"
//   # ^^^^^^^^^^^ unknown key `retry_perod` in [election] | did you mean `retry_period`?
//
// A hint is behind `|`, a note behind `||`; `#=` at the end is said of the whole file. Lines
// `# --set key=value` at the top are overrides. TENURE_REWRITE_GOLDEN=1 writes the comments anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "format/parse/parse.h"
#include "tests/support/transcript.h"
#include "tests/support/zones.h"

namespace tenure::format {
namespace {

namespace fs = std::filesystem;

const std::string kFolder = "tests/format/errors";

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// What no mistake is about a file need not say: but for the one file of what is missing.
std::vector<Override> overrides_of(const fs::path& path, const std::string& text) {
  std::vector<Override> sets;
  const auto complete = [&](std::string_view unless, std::vector<Override> with) {
    if (path.stem() != "missing" && text.find(unless) == std::string::npos)
      sets.insert(sets.end(), with.begin(), with.end());
  };
  complete("format = ", {{"format", "1"}, {"name", "mistakes"}});
  complete("[sim]", {{"sim.duration", "10m"}});
  complete("[cluster]", {{"cluster.protocol", "fenced-lease"}, {"cluster.scheduler", "fenced-outbox"}});
  std::istringstream lines(text);
  const std::string prefix = "# --set ";
  for (std::string line; std::getline(lines, line) && line.starts_with(prefix);) {
    const std::size_t equals = line.find('=');
    sets.push_back({line.substr(prefix.size(), equals - prefix.size()), line.substr(equals + 1)});
  }
  return sets;
}

std::vector<fs::path> files() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(TENURE_SOURCE_DIR) / kFolder))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

ParseResult parsed(const fs::path& path, const std::string& text) {
  return parse_scenario(path.filename().string(), text, overrides_of(path, text),
                        tenure::testing::few_zones());
}

// No other comment begins with an underline.
std::string without_comments(const std::string& text) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.starts_with('#') ? line.find_first_not_of(' ', 1) : std::string::npos;
    const bool ours = line.starts_with("#=") || (begin != std::string::npos && line[begin] == '^');
    if (!ours) kept += line + "\n";
  }
  return kept;
}

std::string comment_of(const Diagnostic& diagnostic) {
  const std::string hint = diagnostic.hint.empty() ? "" : " | " + diagnostic.hint;
  const std::string note = diagnostic.note.empty() ? "" : " || " + diagnostic.note;
  const std::string said = printable(diagnostic.message, 4096) + note + hint + "\n";
  if (diagnostic.excerpt.empty()) return "#= " + said;
  const int before = diagnostic.column - 1 + (diagnostic.line == 0 ? 2 : 0);  // `# --set`
  return "#" + std::string(static_cast<std::size_t>(before), ' ') +
         std::string(static_cast<std::size_t>(std::max(diagnostic.length, 1)), '^') + " " + said;
}

std::string with_comments(const std::string& text, const std::vector<Diagnostic>& diagnostics) {
  std::string all;
  std::size_t shown = 0;
  const auto add = [&](const Diagnostic& diagnostic) {
    all += comment_of(diagnostic);
    ++shown;
  };
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    all += line + "\n";
    for (const Diagnostic& each : diagnostics)
      if (!each.excerpt.empty() && (each.line == number || (each.line == 0 && line == "# " + each.excerpt))) {
        EXPECT_TRUE(line.ends_with(each.excerpt)) << each.excerpt;
        add(each);
      }
  }
  for (const Diagnostic& each : diagnostics)
    if (each.excerpt.empty()) add(each);
  EXPECT_EQ(shown, diagnostics.size()) << "an error is nowhere in the file";
  return all;
}

TEST(ScenarioErrors, are_found_where_the_files_say) {
  ASSERT_GE(files().size(), 18u);
  for (const fs::path& path : files()) {
    const std::string text = without_comments(read(path));
    const ParseResult result = parsed(path, text);
    EXPECT_FALSE(result.scenario.has_value()) << path;
    EXPECT_FALSE(result.diagnostics.empty()) << path;
    tenure::testing::expect_golden(kFolder + "/" + path.filename().string(),
                                   with_comments(text, result.diagnostics));
  }
}

// Of a file, of a line, of a long line, and of an override: in this order.
TEST(ScenarioErrors, are_shown_with_their_place) {
  const std::string text =
      "name = \"x\"\n[cluster]\nprotocol = \"fenced-lease\"\n[election]\nrenew_period = \"20s\"\n"
      "[store]\nlatency = { p50 = \"1us\"" +
      std::string(150, ' ') + ", p97 = \"35us\" }\n";
  std::string shown;
  for (const Diagnostic& each :
       parse_scenario("dir/x.toml", text, std::vector<Override>{{"sim.duration", "10"}}).diagnostics)
    shown += render(each);
  tenure::testing::expect_golden(kFolder + "/shown.txt", shown);
}

TEST(ScenarioErrors, never_reach_the_terminal_as_control_characters) {
  for (const fs::path& path : files()) {
    const std::string text = read(path);
    for (const Diagnostic& diagnostic : parsed(path, text).diagnostics)
      for (const char c : render(diagnostic))
        EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << path;
  }
}

// Found by fuzzing: a hint that shows what to write shows the bytes that stand in the file.
TEST(ScenarioErrors, do_not_let_control_characters_through_in_a_hint) {
  const ParseResult result = parse_scenario("x", "summary = \"hard\x1e\x1bly anything\ncount = 3\n", {});
  std::string shown;
  for (const Diagnostic& diagnostic : result.diagnostics) shown += render(diagnostic);
  EXPECT_NE(shown.find("write \"hard??ly anything\""), std::string::npos) << shown;
  for (const char c : shown) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

}  // namespace
}  // namespace tenure::format
