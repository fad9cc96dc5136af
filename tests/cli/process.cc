#include "tests/cli/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/reports/text/text_format.h"

namespace tenure::cli::testing {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void expect_parts(const std::string& text, const Parts& parts, const Ended& ended, int line,
                  const char* file) {
  for (const std::string& part : parts.all())
    if (!has(text, part))
      ADD_FAILURE_AT(file, line) << "nowhere is: " << part << "\nended with " << ended.code << "\nout:\n"
                                 << ended.out << "\nerr:\n"
                                 << ended.err;
}

}  // namespace

Ended shell(const std::string& command) {
  const fs::path folder = fs::temp_directory_path() / ("tenure-cli-test-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string script = "cd " + shell_quoted(TENURE_SOURCE_DIR "/tests/cli/scenarios") +
                             "\nexport TENURE=" + shell_quoted(TENURE_BINARY) + "\n" + command + "\n";
  std::ofstream(folder / "script") << script;
  const std::string line = "bash " + shell_quoted((folder / "script").string()) + " >" +
                           shell_quoted((folder / "out").string()) + " 2>" +
                           shell_quoted((folder / "err").string()) + " </dev/null";
  const int status = std::system(line.c_str());
  Ended ended;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.out = read(folder / "out");
  ended.err = read(folder / "err");
  fs::remove_all(folder);
  return ended;
}

Ended tenure(const std::vector<std::string>& arguments) {
  std::string command = "exec \"$TENURE\"";
  for (const std::string& argument : arguments) command += " " + shell_quoted(argument);
  return shell(command);
}

Ended in_a_folder(const std::string& command) {
  return shell("d=$(mktemp -d); trap 'rm -r \"$d\"' EXIT; cp *.toml \"$d\"; cd \"$d\"; " + command);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expect_out(const Ended& ended, const Parts& parts, int line, const char* file) {
  expect_parts(ended.out, parts, ended, line, file);
}

void expect_err(const Ended& ended, const Parts& parts, int line, const char* file) {
  expect_parts(ended.err, parts, ended, line, file);
}

}  // namespace tenure::cli::testing
