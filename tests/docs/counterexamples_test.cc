// docs/reference/designs-compared.md and docs/counterexamples/ say the same: each design's worst run is kept, is in the
// table, and still goes wrong in the way that its row says.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace counterexamples_test {
namespace {

namespace fs = std::filesystem;

const fs::path kPages = fs::path(TENURE_SOURCE_DIR) / "docs";

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

using CheckersByFile = std::map<std::string, std::string>;

// `what` has two groups: a file, and the checker that fails in it.
CheckersByFile find(const std::string& text, const std::regex& what) {
  CheckersByFile found;
  for (std::sregex_iterator match(text.begin(), text.end(), what), end; match != end; ++match)
    EXPECT_TRUE(found.emplace((*match)[1], (*match)[2]).second) << (*match)[1] << " twice";
  return found;
}

// A row is: design, situation, file, checker.
CheckersByFile in_table() {
  static const std::regex row(R"(\| \[([\w-]+)\.toml\]\(\.\./counterexamples/\1\.toml\) \| `([\w-]+)` \|)");
  return find(read(kPages / "reference" / "designs-compared.md"), row);
}

CheckersByFile replayed() {
  const std::string command =
      "cd '" + kPages.parent_path().string() + "' && '" TENURE_BINARY "' replay docs/counterexamples 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), size);
  ::pclose(pipe);
  static const std::regex fails(
      R"(FAIL docs/counterexamples/([\w-]+)\.toml  still fails\n  fails +([\w-]+): .*\(in the same way as before\)\n)");
  return find(output, fails);
}

TEST(Counterexamples, stand_in_the_table_and_fail_as_it_says) {
  std::set<std::string> kept;
  for (const fs::directory_entry& file : fs::directory_iterator(kPages / "counterexamples"))
    kept.insert(file.path().stem());
  ASSERT_GT(kept.size(), 20u);
  const CheckersByFile rows = in_table();
  std::set<std::string> linked;
  for (const auto& row : rows) linked.insert(row.first);
  EXPECT_EQ(linked, kept);
  EXPECT_EQ(replayed(), rows);
}

}  // namespace
}  // namespace counterexamples_test
