#include "cli/arguments/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/base/check.h"

namespace tenure::cli {
namespace {

struct CommandLine {
  std::string words;  // "tenure", "tenure run", "tenure schedule apply"
  const CLI::App* app = nullptr;
};

std::vector<const CLI::App*> inner_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The program, then each command with its inner ones.
void collect(const CLI::App& app, const std::string& words, std::vector<CommandLine>& all) {
  all.push_back({words, &app});
  for (const CLI::App* inner : inner_commands(app)) collect(*inner, words + " " + inner->get_name(), all);
}

std::vector<CommandLine> command_lines(const CLI::App& app) {
  std::vector<CommandLine> all;
  collect(app, app.get_name(), all);
  return all;
}

std::vector<const CLI::Option*> flags_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_lnames().empty(); });
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// In single quotes, where a backslash stands for itself.
std::string quoted(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '\''), text.end());
  return "'" + text + "'";
}

std::string words_after(const CLI::App& app) {
  std::string words;
  for (const CLI::App* inner : inner_commands(app)) words += inner->get_name() + " ";
  for (const CLI::Option* option : flags_of(app)) words += "--" + option->get_lnames().front() + " ";
  return words;
}

// The command is the words before the first option, as long as they name commands. What begins with no dash and names
// none is a file, which `-o default` completes.
constexpr std::string_view kBash = R"__(_tenure() {{
  local word line=tenure current=${{COMP_WORDS[COMP_CWORD]}} words
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $word != -* && " $(_tenure_words "$line") " == *" $word "* ]] || break
    line+=" $word"
  done
  words=$(_tenure_words "$line")
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
_tenure_words() {{
  case $1 in
{cases}  esac
}}
complete -o default -F _tenure tenure
)__";

std::string bash_script(const std::vector<CommandLine>& lines) {
  std::string cases;
  for (const auto& [words, app] : lines)
    cases += fmt::format("    {}) echo {} ;;\n", quoted(words), quoted(words_after(*app)));
  return fmt::format(kBash, fmt::arg("cases", cases));
}

// zsh runs bash's script, as its own bashcompinit provides.
std::string zsh_script(const std::vector<CommandLine>& lines) {
  std::string script = bash_script(lines);
  const std::string_view bash_only = "mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")";
  script.replace(script.find(bash_only), bash_only.size(),
                 "COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))");
  return "#compdef tenure\nautoload -Uz bashcompinit && bashcompinit\n" + script;
}

std::string fish_script(const std::vector<CommandLine>& lines) {
  std::string script;
  for (const auto& [words, app] : lines) {
    const std::string path =
        words.substr(words.find(' ') == std::string::npos ? words.size() : words.find(' ') + 1);
    std::string when = "__fish_use_subcommand";
    if (!path.empty()) when = "__fish_seen_subcommand_from " + path.substr(0, path.find(' '));
    if (path.find(' ') != std::string::npos)
      when += "; and __fish_seen_subcommand_from " + path.substr(path.find(' ') + 1);
    const std::string begin = fmt::format("complete -c tenure -n {}", quoted(when));
    for (const CLI::App* inner : inner_commands(*app))
      script += fmt::format("{} -a {} -d {}\n", begin, inner->get_name(), quoted(inner->get_description()));
    for (const CLI::Option* option : flags_of(*app))
      script += fmt::format("{} -l {}{} -d {}\n", begin, option->get_lnames().front(),
                            takes_value(*option) ? " -r" : "", quoted(option->get_description()));
  }
  return script;
}

struct Shell {
  std::string_view name;
  std::string (*script)(const std::vector<CommandLine>&);
};
constexpr Shell kShells[] = {{"bash", bash_script}, {"fish", fish_script}, {"zsh", zsh_script}};

}  // namespace

std::vector<std::string_view> shells_with_completion() {
  std::vector<std::string_view> names;
  for (const Shell& shell : kShells) names.push_back(shell.name);
  return names;
}

std::string completion_script(const CLI::App& app, std::string_view shell) {
  const auto* found = std::find_if(std::begin(kShells), std::end(kShells),
                                   [&](const Shell& each) { return each.name == shell; });
  CHECK(found != std::end(kShells), "the caller names a shell of shells_with_completion()");
  return found->script(command_lines(app));
}

}  // namespace tenure::cli
