// Each planted bug of a room is noticed by the tests of what it is in; without one, they pass.
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <iostream>
#include <string>
#include <string_view>

#include "tests/mutants/switch.h"
#include "tests/mutants/table.h"

namespace tenure {
namespace {

constexpr std::string_view kAll = "*";

// The tests that a bug in this file should fail.
std::string tests_of(std::string_view file) {
  if (!TENURE_TESTS_BY_FOLDER) return std::string(kAll);
  const std::string_view path = file.substr(0, file.rfind('/'));
  std::string suite;
  bool capital = true;
  for (const char c : path.substr(path.rfind('/') + 1)) {
    if (c != '_') suite += capital ? static_cast<char>(c - 'a' + 'A') : c;
    capital = c == '_';
  }
  return suite + "*";
}

// The first of these tests that failed; empty: none did. A bug may stop the tests by a CHECK, or hold them up.
std::string noticed_by(int number, std::string_view tests) {
  const std::string bound =
      number == mutant::kNone ? "300" : "60";  // without a bug they are not to be stopped
  const std::string command = "RC_PARAMS='seed=20260101 noshrink=1' timeout " + bound +
                              " '" TENURE_TESTS_WITH_MUTANTS "' " + std::to_string(number) +
                              " --gtest_fail_fast --gtest_brief=1 --gtest_filter='" + std::string(tests) +
                              "' 2>/dev/null";
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string printed;
  char buffer[4'096];
  for (std::size_t size = 0; (size = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    printed.append(buffer, size);
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  constexpr std::string_view kFailed = "[  FAILED  ] ";
  const std::size_t at = printed.find(kFailed);
  if (at == std::string::npos) return "an end with status " + std::to_string(status);
  const std::size_t name = at + kFailed.size();
  return printed.substr(name, printed.find_first_of(" \n,", name) - name);
}

TEST(PlantedBugs, without_one_nothing_is_noticed) { EXPECT_EQ(noticed_by(mutant::kNone, kAll), ""); }

TEST(PlantedBugs, every_one_is_noticed) {
  for (std::size_t i = 0; i < mutant::mutants().size(); ++i) {
    const mutant::Mutant& planted = mutant::mutants()[i];
    const std::string test = noticed_by(static_cast<int>(i), tests_of(planted.file));
    EXPECT_NE(test, "") << planted.name << ": " << planted.bug;
    std::cout << planted.name << ": " << test << "\n";
  }
}

}  // namespace
}  // namespace tenure
