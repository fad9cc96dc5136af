// Runs the built `tenure` as a user does.
//
// Thread rule: tests.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
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

// One part of a text, or several: `{"a", "b"}`.
class Parts {
 public:
  Parts(const char* part) : all_{part} {}             // NOLINT(google-explicit-constructor)
  Parts(std::string part) : all_{std::move(part)} {}  // NOLINT(google-explicit-constructor)
  Parts(std::initializer_list<std::string> all) : all_(all) {}
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};
// Whether all parts were printed. A failure is one of the line that calls it, and shows all that was printed.
void expect_out(const Ended& ended, const Parts& parts, int line = __builtin_LINE(),
                const char* file = __builtin_FILE());
void expect_err(const Ended& ended, const Parts& parts, int line = __builtin_LINE(),
                const char* file = __builtin_FILE());

}  // namespace tenure::cli::testing
