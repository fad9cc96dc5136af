#include "cli/arguments/hints.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <string_view>

#include "format/syntax/suggest.h"

namespace tenure::cli {
namespace {

// What other programs call a flag.
struct Alias {
  std::string_view name;
  std::string_view ours;
};
constexpr Alias kAliases[] = {{"--tz", "--timezone"},     {"--zone", "--timezone"}, {"--since", "--from"},
                              {"--to", "--until"},        {"--number", "--count"},  {"--limit", "--count"},
                              {"--reverse", "--previous"}};

// The command of that name below `app`, if there is one; `names` becomes the names of all.
const CLI::App* command_of(const CLI::App& app, const std::string& name, std::vector<std::string>& names) {
  const CLI::App* command = nullptr;
  names.clear();
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (each->get_name() == name) command = each;
    names.push_back(each->get_name());
  }
  return command;
}

}  // namespace

std::string hint_for(const std::vector<std::string>& arguments, const CLI::App& app) {
  std::vector<std::string> names;
  const CLI::App* command = command_of(app, arguments.empty() ? "" : arguments.front(), names);
  const auto closest_to = [&](std::string_view name) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    const auto best = format::closest(name, known);
    return best ? fmt::format("did you mean `{}`?", *best) : std::string{};
  };
  if (command != nullptr && command->get_require_subcommand_min() > 0) {
    const CLI::App* inner = command_of(*command, arguments.size() > 1 ? arguments[1] : "", names);
    if (inner == nullptr) return arguments.size() > 1 ? closest_to(arguments[1]) : std::string{};
    command = inner;
  }
  if (command == nullptr) return arguments.empty() ? std::string{} : closest_to(arguments.front());
  names.clear();
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& argument : arguments) {
    const std::string flag = argument.substr(0, argument.find('='));
    if (!flag.starts_with("--") || std::find(names.begin(), names.end(), flag) != names.end()) continue;
    const auto alias = std::find_if(std::begin(kAliases), std::end(kAliases),
                                    [&](const Alias& each) { return each.name == flag; });
    const bool renamed =
        alias != std::end(kAliases) && std::find(names.begin(), names.end(), alias->ours) != names.end();
    return closest_to(renamed ? alias->ours : flag);
  }
  return {};
}

}  // namespace tenure::cli
