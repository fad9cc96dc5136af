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
  const Offers* offers = nullptr;
};

std::vector<const CLI::App*> inner_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The program, then each command with its inner ones.
void collect(const CLI::App& app, const Offers& offers, const std::string& words,
             std::vector<CommandLine>& all) {
  all.push_back({words, &app, &offers});
  for (const CLI::App* inner : inner_commands(app))
    collect(*inner, offers, words + " " + inner->get_name(), all);
}

std::vector<CommandLine> command_lines(const CommandLines& lines) {
  std::vector<CommandLine> all;
  collect(lines.program, lines.offers, lines.program.get_name(), all);
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

// What is offered as the value of an option or an argument, but for files.
std::string values_of(const CLI::Option* option, const Offers& offers) {
  const auto found = offers.find(option);
  std::string values;
  if (found == offers.end()) return values;
  for (const std::string& value : found->second)
    if (value != kScenarioFiles) values += (values.empty() ? "" : " ") + value;
  return values;
}

bool takes_scenarios(const CLI::Option* option, const Offers& offers) {
  const auto found = offers.find(option);
  return found != offers.end() && found->second.front() == kScenarioFiles;
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string words_after(const CommandLine& line) {
  std::string words;
  for (const CLI::App* inner : inner_commands(*line.app)) words += inner->get_name() + " ";
  for (const CLI::Option* argument : arguments_of(*line.app)) {
    const std::string values = values_of(argument, *line.offers);
    if (!values.empty()) words += values + " ";
  }
  for (const CLI::Option* option : flags_of(*line.app)) words += "--" + option->get_lnames().front() + " ";
  return words;
}

// The command is the words before the first option, as long as they name commands. After an option with a value, its
// values are offered, and where it has none to offer, files, by `-o default`. bash parts words at "=": what stands
// before it belongs to the value that is offered.
constexpr std::string_view kBash = R"__(_tenure() {{
  local word line=tenure current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} key=
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $word != -* && " $(_tenure_words "$line") " == *" $word "* ]] || break
    line+=" $word"
  done
  [[ $current != = ]] || {{ key=$before=; current=; before=${{COMP_WORDS[COMP_CWORD-2]}}; }}
  [[ $before != = ]] || {{ key=${{COMP_WORDS[COMP_CWORD-2]}}=; before=${{COMP_WORDS[COMP_CWORD-3]}}; }}
  local words files
  words=$(_tenure_values "$line $before") || words=$(_tenure_words "$line"; _tenure_files "$line" "$current")
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$key$current")
  COMPREPLY=("${{COMPREPLY[@]#"$key"}}")
}}
_tenure_words() {{
  case $1 in
{cases}  esac
}}
_tenure_values() {{
  case $1 in
{values}    *) return 1 ;;
  esac
}}
_tenure_files() {{
  case $1 in
    {with_files}) [[ $2 == -* ]] || {{ compgen -f -X '!*.toml' -- "$2"; compgen -d -- "$2"; }} ;;
  esac
}}
complete -o default -o filenames -F _tenure tenure
)__";

std::string bash_script(const std::vector<CommandLine>& lines) {
  std::string cases;
  std::string values;
  std::string with_files;
  for (const CommandLine& line : lines) {
    cases += fmt::format("    {}) echo {} ;;\n", quoted(line.words), quoted(words_after(line)));
    for (const CLI::Option* option : flags_of(*line.app))
      if (takes_value(*option) && !takes_scenarios(option, *line.offers))
        values += fmt::format("    {}) echo {} ;;\n",
                              quoted(fmt::format("{} --{}", line.words, option->get_lnames().front())),
                              quoted(values_of(option, *line.offers)));
    const std::vector<const CLI::Option*> arguments = arguments_of(*line.app);
    if (std::any_of(arguments.begin(), arguments.end(),
                    [&](const CLI::Option* argument) { return takes_scenarios(argument, *line.offers); }))
      with_files += (with_files.empty() ? "" : "|") + quoted(line.words);
  }
  return fmt::format(kBash, fmt::arg("cases", cases), fmt::arg("values", values),
                     fmt::arg("with_files", with_files));
}

// zsh runs bash's script, as its own bashcompinit provides.
std::string zsh_script(const std::vector<CommandLine>& lines) {
  std::string script = bash_script(lines);
  const std::string_view bash_only = "mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$key$current\")";
  script.replace(script.find(bash_only), bash_only.size(),
                 "COMPREPLY=($(compgen -W \"$words\" -- \"$key$current\"))");
  return "#compdef tenure\nautoload -Uz bashcompinit && bashcompinit\n" + script;
}

std::string fish_script(const std::vector<CommandLine>& lines) {
  std::string script;
  for (const auto& [words, app, offers] : lines) {
    const std::string path =
        words.substr(words.find(' ') == std::string::npos ? words.size() : words.find(' ') + 1);
    std::string when = "__fish_use_subcommand";
    if (!path.empty()) when = "__fish_seen_subcommand_from " + path.substr(0, path.find(' '));
    if (path.find(' ') != std::string::npos)
      when += "; and __fish_seen_subcommand_from " + path.substr(path.find(' ') + 1);
    const std::string begin = fmt::format("complete -c tenure -n {}", quoted(when));
    for (const CLI::App* inner : inner_commands(*app))
      script += fmt::format("{} -a {} -d {}\n", begin, inner->get_name(), quoted(inner->get_description()));
    for (const CLI::Option* argument : arguments_of(*app)) {
      const std::string values = values_of(argument, *offers);
      if (!values.empty()) script += fmt::format("{} -a {}\n", begin, quoted(values));
      if (takes_scenarios(argument, *offers))
        script += fmt::format("{} -k -a '(__fish_complete_suffix .toml)'\n", begin);
    }
    for (const CLI::Option* option : flags_of(*app)) {
      const std::string values = values_of(option, *offers);
      const std::string takes =
          values.empty() ? (takes_value(*option) ? " -r" : "") : " -x -a " + quoted(values);
      script += fmt::format("{} -l {}{} -d {}\n", begin, option->get_lnames().front(), takes,
                            quoted(option->get_description()));
    }
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

std::string completion_script(const CommandLines& lines, std::string_view shell) {
  const auto* found = std::find_if(std::begin(kShells), std::end(kShells),
                                   [&](const Shell& each) { return each.name == shell; });
  CHECK(found != std::end(kShells), "the caller names a shell of shells_with_completion()");
  return found->script(command_lines(lines));
}

}  // namespace tenure::cli
