// Every error there is, as it is shown: errors/*.toml are files with mistakes, errors/*.txt what is said of them.
//
// Lines `# --set key=value` at the top of such a file are its overrides. TENURE_REWRITE_GOLDEN=1 rewrites the texts.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "format/build/parse.h"
#include "tests/support/transcript.h"
#include "tests/support/zones.h"

namespace tenure::sim {
namespace {

namespace fs = std::filesystem;

const std::string kFolder = "tests/format/errors";

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<Override> overrides_of(const std::string& text) {
  std::vector<Override> sets;
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

TEST(ScenarioErrors, are_as_in_the_golden_files) {
  ASSERT_GE(files().size(), 18u);
  for (const fs::path& path : files()) {
    const std::string text = read(path);
    const ParseResult result =
        parse_scenario(path.filename().string(), text, overrides_of(text), tenure::testing::few_zones());
    EXPECT_FALSE(result.scenario.has_value()) << path;
    EXPECT_FALSE(result.diagnostics.empty()) << path;
    std::string shown;
    for (const Diagnostic& diagnostic : result.diagnostics) shown += render(diagnostic);
    tenure::testing::expect_golden(kFolder + "/" + path.stem().string() + ".txt", shown);
  }
}

TEST(ScenarioErrors, never_reach_the_terminal_as_control_characters) {
  for (const fs::path& path : files()) {
    const std::string text = read(path);
    for (const Diagnostic& diagnostic :
         parse_scenario("x", text, overrides_of(text), tenure::testing::few_zones()).diagnostics)
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
}  // namespace tenure::sim
