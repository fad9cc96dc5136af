// Scripts that complete the command line in a shell, made from the commands as they are declared.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace tenure::cli {

std::vector<std::string_view> shells_with_completion();  // bash, fish, zsh

// `shell`: one of those. Commands, inner commands and options are completed, and files where an argument is a file.
std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace tenure::cli
