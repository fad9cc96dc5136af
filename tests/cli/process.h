// Runs the built `tenure` as a user does.
//
// Thread rule: tests.
#pragma once

#include <string>
#include <vector>

namespace tenure::cli::testing {

struct Ended {
  int code = 0;  // the exit code; 128 + n when signal n ended it
  std::string out;
  std::string err;
};

// In the folder tests/cli/scenarios.
Ended tenure(const std::vector<std::string>& arguments);
// A shell command in which "$TENURE" is the program.
Ended shell(const std::string& command);
// The same, in a folder of its own with copies of those scenarios.
Ended in_a_folder(const std::string& command);

bool has(const std::string& text, const std::string& part);

}  // namespace tenure::cli::testing
