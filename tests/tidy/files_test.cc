// What every file looks like: headers, lengths, format.
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/tidy/source.h"

namespace tenure::tidy {
namespace {

constexpr std::size_t kLongestFile = 450;
constexpr std::size_t kLongestLine =
    120;  // the formatter keeps code to 110; a comment may end a little later

std::vector<Finding> header_findings(const Source& source) {
  std::vector<Finding> findings;
  if (!source.is_header()) return findings;
  const std::vector<Line> lines = lines_of(source.text);
  const auto pragma =
      std::find_if(lines.begin(), lines.end(), [](const Line& line) { return line.text == "#pragma once"; });
  if (pragma == lines.end()) findings.push_back({source.path, 1, "no #pragma once"});
  const bool opens = !lines.empty() && lines.front().text.starts_with("// ");
  if (!opens) findings.push_back({source.path, 1, "does not open with a comment that says what it is for"});
  const bool thread_rule = std::any_of(lines.begin(), pragma, [](const Line& line) {
    return line.text.starts_with("//") && line.text.find("Thread rule") != std::string::npos;
  });
  if (!thread_rule) findings.push_back({source.path, 1, "the opening comment has no Thread rule"});
  return findings;
}

std::vector<Finding> length_findings(const Source& source) {
  std::vector<Finding> findings;
  const std::vector<Line> lines = lines_of(source.text);
  const bool is_test = source.is_under("tests");  // a test file is read one test at a time
  if (!is_test && lines.size() > kLongestFile)
    findings.push_back({source.path, lines.back().number, "a line too many"});
  for (const Line& line : lines) {
    const std::size_t columns =
        static_cast<std::size_t>(std::count_if(line.text.begin(), line.text.end(), [](char c) {
          return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        }));
    const bool is_row = line.text.starts_with("| ");  // of a table in Markdown, which cannot be broken
    if (columns > kLongestLine && !is_row) findings.push_back({source.path, line.number, "a line too long"});
  }
  return findings;
}

TEST(Files, headers_open_with_their_purpose_and_their_thread_rule) {
  std::vector<Finding> all;
  for (const Source& source : sources_under({"core", "sim", "format", "lab", "adapters", "cli", "daemon"})) {
    for (const Finding& finding : header_findings(source)) all.push_back(finding);
  }
  EXPECT_TRUE(all.empty()) << to_text(all);
}

TEST(Files, are_short_enough_to_read_in_one_sitting_and_narrow_enough_for_a_screen) {
  std::vector<Finding> all;
  for (const Source& source : sources_under(
           {"core", "sim", "format", "lab", "adapters", "cli", "tests", "bench", "scenarios/designs"})) {
    for (const Finding& finding : length_findings(source)) all.push_back(finding);
  }
  EXPECT_TRUE(all.empty()) << to_text(all);
}

TEST(FilesRule, catches_a_header_that_lacks_something) {
  const std::string good = "// A thing.\n//\n// Thread rule: values.\n#pragma once\n";
  EXPECT_TRUE(header_findings(make_source("core/x.h", good)).empty());
  EXPECT_FALSE(header_findings(make_source("core/x.h", "// A thing.\n// Thread rule: values.\n")).empty());
  EXPECT_FALSE(header_findings(make_source("core/x.h", "// A thing.\n#pragma once\n")).empty());
  EXPECT_FALSE(header_findings(make_source("core/x.h", "#pragma once\n// Thread rule: too late.\n")).empty());
  EXPECT_FALSE(header_findings(make_source("core/x.h", "\n" + good)).empty());
  EXPECT_FALSE(header_findings(make_source("core/x.h", "")).empty());
  EXPECT_TRUE(header_findings(make_source("core/x.cc", "int x;\n")).empty()) << "not a header";
}

TEST(FilesRule, catches_a_file_of_451_lines) {
  EXPECT_TRUE(length_findings(make_source("core/x.cc", std::string(450, '\n'))).empty());
  EXPECT_FALSE(length_findings(make_source("core/x.cc", std::string(451, '\n'))).empty());
}

TEST(FilesRule, catches_a_line_of_121_columns) {
  EXPECT_TRUE(length_findings(make_source("core/x.cc", std::string(120, 'x') + "\n")).empty());
  EXPECT_FALSE(length_findings(make_source("core/x.cc", "\n" + std::string(121, 'x') + "\n")).empty());
  std::string dots;
  for (int i = 0; i < 120; ++i) dots += "\u00b7";
  EXPECT_TRUE(length_findings(make_source("core/x.cc", dots)).empty()) << "columns, not bytes";
}

// ---- clang-format ----------------------------------------------------------------------------------------

struct Output {
  int exit_code = 0;
  std::string text;
};

Output shell(const std::string& command) {
  Output output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "popen failed"};
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.text.append(buffer, n);
  output.exit_code = WEXITSTATUS(pclose(pipe));
  return output;
}

// Formats differ between versions, so another one than Debian 12's says nothing.
bool has_formatter() { return shell("clang-format --version").text.find("version 14") != std::string::npos; }

constexpr const char* kFormat = "clang-format --dry-run --Werror --ferror-limit=1 ";

TEST(Format, every_file_is_in_the_project_s_format) {
  if (!has_formatter()) GTEST_SKIP() << "no clang-format 14";
  std::string command = std::string("cd '") + TENURE_SOURCE_DIR + "' && " + kFormat;
  for (const Source& source :
       sources_under({"core", "sim", "format", "lab", "adapters", "cli", "daemon", "tests", "bench"}))
    command += " '" + source.path + "'";
  const Output output = shell(command);
  EXPECT_EQ(output.exit_code, 0) << output.text << "\n./dev format mends this";
}

TEST(FormatRule, catches_a_file_that_is_not) {
  if (!has_formatter()) GTEST_SKIP() << "no clang-format 14";
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "tenure-format";
  fs::create_directories(folder);
  fs::copy_file(fs::path(TENURE_SOURCE_DIR) / ".clang-format", folder / ".clang-format",
                fs::copy_options::overwrite_existing);
  std::ofstream(folder / "planted.cc") << "int  main( ){return 0;}\n";
  EXPECT_NE(shell(kFormat + (folder / "planted.cc").string()).exit_code, 0);
  std::ofstream(folder / "planted.cc") << "int main() { return 0; }\n";
  EXPECT_EQ(shell(kFormat + (folder / "planted.cc").string()).exit_code, 0);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tenure::tidy
