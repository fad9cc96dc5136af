// Scripts that complete the command line in a shell, made from the commands as they are declared.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/command.h"

namespace tenure::cli {

struct CommandLines {
  const CLI::App& program;
  const Offers& offers;
};

std::vector<std::string_view> shells_with_completion();  // bash, fish, zsh

// `shell`: one of those. Commands, inner commands, options and what is offered as their values are completed, and files
// where an argument is a file.
std::string completion_script(const CommandLines& lines, std::string_view shell);

}  // namespace tenure::cli
