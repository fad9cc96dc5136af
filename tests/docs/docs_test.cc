// The docs are true: what they show is what the program prints, and their links lead somewhere.
//
// A block that opens with ```sh run holds one command, `tenure …` or `./dev run …`, and is executed here from
// the root of the repository; `exit=N` after it says how it ends (0 without). The block after it, if it opens
// with ```text, is what the command prints, to the letter. TENURE_REWRITE_GOLDEN=1 writes what was printed into the
// page instead. A command that begins with `tenure init` writes files: it runs in an empty folder of its own.
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TENURE_SOURCE_DIR;

// ---- pages -----------------------------------------------------------------------------------------------

struct Page {
  std::string path;  // from the root
  std::vector<std::string> lines;
};

void PrintTo(const Page& page, std::ostream* out) { *out << page.path; }

Page make_page(std::string path, const std::string& text) {
  Page page{std::move(path), {}};
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) page.lines.push_back(line);
  return page;
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Every page of ours, sorted.
std::vector<Page> pages() {
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot)) {
    if (entry.path().extension() == ".md") paths.push_back(entry.path().filename().string());
  }
  for (const char* folder : {"docs", "core", "sim", "format", "lab", "daemon", "scenarios", "tests"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() == ".md")
        paths.push_back(fs::relative(entry.path(), kRoot).generic_string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Page> all;
  for (const std::string& path : paths) all.push_back(make_page(path, read(kRoot / path)));
  return all;
}

bool is_fence(const std::string& line) { return line.starts_with("```"); }

// ---- commands and what they print ------------------------------------------------------------------------

struct Example {
  std::string command;
  int exit_code = 0;
  bool shows_output = false;
  std::size_t output_begin = 0;  // lines of the page
  std::size_t output_end = 0;
};

// Problems with the way examples are written go to `complaints`.
std::vector<Example> examples_of(const Page& page, std::vector<std::string>& complaints) {
  static const std::regex opening(R"(^```sh run( exit=(\d+))?$)");
  std::vector<Example> examples;
  const std::vector<std::string>& lines = page.lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_fence(lines[i])) continue;
    const std::size_t end = static_cast<std::size_t>(
        std::find(lines.begin() + static_cast<std::ptrdiff_t>(i) + 1, lines.end(), "```") - lines.begin());
    std::smatch match;
    if (std::regex_match(lines[i], match, opening) && end == i + 2) {
      Example example{lines[i + 1], match[2].matched ? std::stoi(match[2]) : 0, false, 0, 0};
      std::size_t next = end + 1;
      while (next < lines.size() && lines[next].empty()) ++next;
      if (next < lines.size() && lines[next] == "```text") {
        example.shows_output = true;
        example.output_begin = next + 1;
        example.output_end = static_cast<std::size_t>(
            std::find(lines.begin() + static_cast<std::ptrdiff_t>(next), lines.end(), "```") - lines.begin());
      }
      examples.push_back(example);
    } else if (lines[i].find(" run") != std::string::npos) {
      complaints.push_back(page.path + ":" + std::to_string(i + 1) + ": a block to run holds one command");
    }
    i = end;
  }
  return examples;
}

// The command with the built binary in place of its name; empty when it is none of ours.
std::string runnable(const std::string& command) {
  static const std::regex name(R"((^|&& )tenure )");
  const std::string binary = std::string("'") + TENURE_BINARY + "'";
  if (command.starts_with("./dev run ")) return binary + command.substr(5);
  if (!command.starts_with("tenure ")) return "";
  const std::string named = std::regex_replace(command, name, "$1" + binary + " ");
  if (!command.starts_with("tenure init ")) return named;
  return "folder=$(mktemp -d) && cd \"$folder\" && " + named + "; code=$?; rm -r \"$folder\"; exit $code";
}

struct Output {
  int exit_code = 0;
  std::vector<std::string> lines;
};

Output execute(const std::string& command) {
  FILE* pipe = popen(("cd '" + kRoot.string() + "' && { " + command + "; } 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {-1, {}};
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, make_page("", text).lines};
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Blank lines at the end of an output are not worth a line in a page.
std::vector<std::string> without_blank_end(std::vector<std::string> lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// Replaces the output shown by `printed`. The page is good for nothing else afterwards but writing.
void rewrite(Page& page, const Example& example, const std::vector<std::string>& printed) {
  const auto begin = page.lines.begin() + static_cast<std::ptrdiff_t>(example.output_begin);
  const auto at =
      page.lines.erase(begin, page.lines.begin() + static_cast<std::ptrdiff_t>(example.output_end));
  page.lines.insert(at, printed.begin(), printed.end());
}

bool has_examples(const Page& page) {
  return std::ranges::any_of(page.lines,
                             [](const std::string& line) { return line.starts_with("```sh run"); });
}

std::vector<Page> pages_with_examples() {
  std::vector<Page> all = pages();
  std::erase_if(all, [](const Page& page) { return !has_examples(page); });
  return all;
}

class EveryPage : public testing::TestWithParam<Page> {};

TEST_P(EveryPage, shows_what_its_commands_print) {
  const bool rewriting = std::getenv("TENURE_REWRITE_GOLDEN") != nullptr;
  Page page = GetParam();
  std::vector<std::string> complaints;
  std::vector<Example> examples = examples_of(page, complaints);
  EXPECT_TRUE(complaints.empty()) << joined(complaints);
  // What an earlier program kept would have taken the names.
  static const std::regex out(R"(--out (build/\S+))");
  for (const Example& example : examples) {
    if (std::smatch folder; std::regex_search(example.command, folder, out))
      fs::remove_all(kRoot / folder[1].str());
  }
  std::ranges::reverse(examples);  // so that a rewrite leaves the places of those before it alone
  for (const Example& example : examples) {
    const std::string command = runnable(example.command);
    ASSERT_FALSE(command.empty()) << page.path << ": cannot run: " << example.command;
    const Output output = execute(command);
    EXPECT_EQ(output.exit_code, example.exit_code) << page.path << ": " << example.command;
    if (!example.shows_output) continue;
    const std::vector<std::string> printed = without_blank_end(output.lines);
    const std::vector<std::string> expected(
        page.lines.begin() + static_cast<std::ptrdiff_t>(example.output_begin),
        page.lines.begin() + static_cast<std::ptrdiff_t>(example.output_end));
    if (rewriting) {
      rewrite(page, example, printed);
    } else {
      EXPECT_EQ(joined(printed), joined(expected)) << page.path << ": " << example.command;
    }
  }
  if (rewriting) std::ofstream(kRoot / page.path, std::ios::binary) << joined(page.lines);
}

INSTANTIATE_TEST_SUITE_P(Docs, EveryPage, testing::ValuesIn(pages_with_examples()), [](const auto& page) {
  std::string name = fs::path(page.param.path).stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Docs, pages_with_commands_include_the_readme) {
  EXPECT_TRUE(
      std::ranges::any_of(pages_with_examples(), [](const Page& page) { return page.path == "README.md"; }));
}

// ---- links -----------------------------------------------------------------------------------------------

// As GitHub names a heading: lower case, hyphens for spaces, letters, digits, - and _ only.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(u));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::set<std::string> anchors_of(const Page& page) {
  static const std::regex heading(R"(^#+ +(.*?)\s*$)");
  std::set<std::string> anchors;
  bool fenced = false;
  for (const std::string& line : page.lines) {
    if (is_fence(line)) fenced = !fenced;
    std::smatch match;
    if (!fenced && std::regex_match(line, match, heading)) anchors.insert(anchor_of(match[1]));
  }
  return anchors;
}

// What is wrong with the links of a page.
std::vector<std::string> broken_links(const Page& page) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::vector<std::string> broken;
  bool fenced = false;
  for (std::size_t i = 0; i < page.lines.size(); ++i) {
    const std::string& line = page.lines[i];
    if (is_fence(line)) fenced = !fenced;
    if (fenced) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1];
      if (target.starts_with("http://") || target.starts_with("https://")) continue;
      const std::size_t hash = target.find('#');
      const std::string path = target.substr(0, hash);
      const fs::path full = path.empty() ? kRoot / page.path : (kRoot / page.path).parent_path() / path;
      const std::string where = page.path + ":" + std::to_string(i + 1) + ": " + target;
      if (!fs::exists(full)) {
        broken.push_back(where + ": no such file");
      } else if (hash != std::string::npos) {
        const Page other = path.empty() ? page : make_page(path, read(full));
        if (!anchors_of(other).contains(target.substr(hash + 1)))
          broken.push_back(where + ": no such heading");
      }
    }
  }
  return broken;
}

TEST(Docs, links_lead_somewhere) {
  for (const Page& page : pages()) {
    const std::vector<std::string> broken = broken_links(page);
    EXPECT_TRUE(broken.empty()) << joined(broken);
  }
  EXPECT_GE(pages().size(), 8u);
}

// Lines that GitHub shows as they are written: of a table that has no head, and headings without a space after `#`.
std::vector<std::string> unrendered(const Page& page) {
  static const std::regex below_head(R"(^\|[ :|-]+\|?$)");
  static const std::regex no_heading(R"(^#{1,6}[^#\s].*$)");
  std::vector<std::string> wrong;
  bool fenced = false;
  bool in_table = false;
  for (std::size_t i = 0; i < page.lines.size(); ++i) {
    const std::string& line = page.lines[i];
    if (is_fence(line) || line.starts_with("~~~")) fenced = !fenced;
    const bool is_row = !fenced && line.starts_with("|");
    const std::string where = page.path + ":" + std::to_string(i + 1) + ": ";
    if (is_row && !in_table &&
        (i + 1 == page.lines.size() || !std::regex_match(page.lines[i + 1], below_head)))
      wrong.push_back(where + "a row without a head: " + line.substr(0, 40));
    in_table = is_row;
    if (!fenced && std::regex_match(line, no_heading)) wrong.push_back(where + "no heading: " + line);
  }
  return wrong;
}

TEST(Docs, tables_have_heads_and_headings_have_a_space) {
  for (const Page& page : pages()) {
    const std::vector<std::string> wrong = unrendered(page);
    EXPECT_TRUE(wrong.empty()) << joined(wrong);
  }
}

// A path in a page, like `core/model/env.h`, is a promise as well.
std::vector<std::string> broken_paths(const Page& page) {
  static const std::regex path(
      R"(`((core|sim|format|lab|adapters|cli|daemon|tests|bench|docs|scenarios|cmake)/[\w./-]*\w)/?`)");
  std::vector<std::string> broken;
  for (std::size_t i = 0; i < page.lines.size(); ++i) {
    const std::string& line = page.lines[i];
    for (std::sregex_iterator at(line.begin(), line.end(), path), end; at != end; ++at) {
      if (!fs::exists(kRoot / std::string((*at)[1]))) {
        broken.push_back(page.path + ":" + std::to_string(i + 1) + ": " + std::string((*at)[1]) +
                         ": no such file");
      }
    }
  }
  return broken;
}

TEST(Docs, paths_they_name_are_there) {
  for (const Page& page : pages()) {
    const std::vector<std::string> broken = broken_paths(page);
    EXPECT_TRUE(broken.empty()) << joined(broken);
  }
}

// ---- the rules themselves --------------------------------------------------------------------------------

TEST(DocsRule, finds_a_command_its_exit_code_and_its_output) {
  const Page page = make_page("x.md",
                              "```sh run exit=1\ntenure run a.toml\n```\n\n```text\nFAIL\n  why\n```\n"
                              "```sh\ntenure not run\n```\n```sh run\n./dev run b.toml\n```\n");
  std::vector<std::string> complaints;
  const std::vector<Example> examples = examples_of(page, complaints);
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(examples[0].command, "tenure run a.toml");
  EXPECT_EQ(examples[0].exit_code, 1);
  EXPECT_EQ(page.lines[examples[0].output_begin], "FAIL");
  EXPECT_EQ(examples[0].output_end - examples[0].output_begin, 2u);
  EXPECT_FALSE(examples[1].shows_output);
  EXPECT_EQ(runnable(examples[1].command), std::string("'") + TENURE_BINARY + "' run b.toml");
  EXPECT_EQ(runnable("rm -r x"), "");
  EXPECT_EQ(runnable("tenure a && tenure b"),
            std::string("'") + TENURE_BINARY + "' a && '" + TENURE_BINARY + "' b");
  EXPECT_TRUE(runnable("tenure init a").starts_with("folder=$(mktemp -d)"));
}

TEST(DocsRule, complains_of_a_block_that_it_would_skip) {
  for (const char* text : {"```sh run\ntenure a\ntenure b\n```\n", "```sh run exit=x\ntenure a\n```\n",
                           "```bash run\ntenure a\n```\n"}) {
    std::vector<std::string> complaints;
    EXPECT_TRUE(examples_of(make_page("x.md", text), complaints).empty());
    EXPECT_EQ(complaints.size(), 1u) << text;
  }
}

TEST(DocsRule, a_rewrite_replaces_what_is_shown_and_nothing_else) {
  Page page = make_page("x.md", "a\n```sh run\ntenure a\n```\n```text\nold\nolder\n```\nb\n");
  std::vector<std::string> complaints;
  const std::vector<Example> examples = examples_of(page, complaints);
  ASSERT_EQ(examples.size(), 1u);
  rewrite(page, examples[0], {"new"});
  EXPECT_EQ(joined(page.lines), "a\n```sh run\ntenure a\n```\n```text\nnew\n```\nb\n");
}

TEST(DocsRule, finds_links_and_paths_that_lead_nowhere) {
  EXPECT_EQ(broken_links(make_page("README.md", "see [a](docs/no-such-page.md)")).size(), 1u);
  EXPECT_EQ(broken_links(make_page("README.md", "# Here it is\nsee [a](#here-it-is) and [b](#there)")).size(),
            1u);
  EXPECT_EQ(
      broken_links(make_page("docs/x.md", "see [a](../CMakeLists.txt), [b](https://example.org/x)")).size(),
      0u);
  EXPECT_EQ(broken_links(make_page("README.md", "```\n[a](nowhere)\n```")).size(), 0u);
  EXPECT_EQ(
      broken_paths(make_page("README.md", "`core/base/time.h` `core/base/` and `core/nowhere.h`")).size(),
      1u);
}

TEST(DocsRule, finds_tables_that_a_blank_line_parts_and_headings_that_are_none) {
  const std::string head = "| a | b |\n|---|---|\n";
  EXPECT_EQ(unrendered(make_page("x.md", head + "| 1 | 2 |\n| 3 | 4 |\n\n# A heading\n")).size(), 0u);
  EXPECT_EQ(unrendered(make_page("x.md", head + "| 1 | 2 |\n\n| 3 | 4 |\n| 5 | 6 |\n")).size(), 1u);
  EXPECT_EQ(unrendered(make_page("x.md", "#heading\n")).size(), 1u);
  EXPECT_EQ(unrendered(make_page("x.md", "```sh\n#comment\n| sed\n```\n")).size(), 0u);
}

}  // namespace
