#include "cli/designs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/lua/design.h"
#include "adapters/lua/literals.h"
#include "adapters/lua/rehearsal.h"
#include "adapters/process/program.h"
#include "adapters/sql/sql_store.h"
#include "adapters/sql/warnings.h"
#include "cli/load.h"
#include "format/syntax/diagnostic.h"
#include "lab/session/read_file.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kMaxBytes = 1'000'000;
constexpr std::size_t kShown = 120;   // of a message, and of a line
constexpr std::size_t kSaid = 2'000;  // of what a program says when it does not start: perhaps a traceback
constexpr std::chrono::seconds kPatience{10};

std::string from_scenario(std::string_view scenario_path, std::string_view path) {
  return (std::filesystem::path(scenario_path).parent_path() / path).lexically_normal().string();
}

// Programs in Python that are run by themselves define node(t), and end: what makes processes of them was forgotten.
std::string hint_for(std::string_view name, const std::vector<std::string>& command) {
  const auto is_shim = [](std::string_view word) { return word == "tenure" || word.ends_with("/tenure"); };
  const auto is_go_shim = [](std::string_view word) { return word.ends_with("tenure/run.sh"); };
  if (name.ends_with(".py") && std::none_of(command.begin(), command.end(), is_shim))
    return fmt::format(
        "a program with `async def node(t)` is run by Python's shim: command = [\"python3\", "
        "\"adapters/process/shims/python/tenure\", \"{}\"]",
        format::printable(name, kShown));
  if (name.ends_with(".go") && std::none_of(command.begin(), command.end(), is_go_shim))
    return fmt::format(
        "a program in Go is compiled by its shim: command = [\"sh\", "
        "\"adapters/process/shims/go/tenure/run.sh\", \"{}\"]",
        format::printable(name, kShown));
  return "a program that speaks the node protocol (docs/node-protocol.md)";
}

// What the design does, and may not mean: its process, and the statements that stand in its file as a whole.
std::vector<std::string> warnings_of(const lua::Design& design, const std::string& text) {
  std::vector<std::string> warnings;
  if (const std::string idle = lua::idle_process(design); !idle.empty())
    warnings.push_back(fmt::format("{}: {}", design.path(), idle));
  for (const lua::Literal& literal : lua::literals_of(text))
    for (const std::string& warning : sql::warnings_of(literal.text))
      warnings.push_back(fmt::format("{}:{}: {}", design.path(), literal.line, warning));
  return warnings;
}

class UsersDesigns final : public sim::DesignFiles {
 public:
  bool names_one(std::string_view name) const override { return name.ends_with(".lua"); }

  Found find(std::string_view name, std::string_view scenario_path) const override {
    const std::string path = from_scenario(scenario_path, name);
    const std::lock_guard lock(mutex_);
    const auto known = designs_.find(path);
    if (known != designs_.end()) return offered(*known->second, warnings_.at(path));
    std::string why;
    const std::optional<std::string> text = lab::read_file(path, kMaxBytes + 1, why);
    if (!text)
      return {nullptr, fmt::format("cannot read {}: {}", path, why), "a path from the scenario's own folder"};
    if (text->size() > kMaxBytes) return {nullptr, fmt::format("{} has more than a million bytes", path), ""};
    lua::Problem problem;
    auto design = lua::Design::read(path, *text, sql::kind_for_any_engine, problem, system_zones());
    if (design == nullptr)
      return {nullptr,
              fmt::format("{}{}: {}", path, problem.line > 0 ? fmt::format(":{}", problem.line) : "",
                          format::printable(problem.text, kShown)),
              format::printable(problem.source, kShown)};
    warnings_[path] = warnings_of(*design, *text);
    return offered(*designs_.emplace(path, std::move(design)).first->second, warnings_[path]);
  }

  std::string refusal_of(const StoreKind& kind) const override { return sql::refusal_of(kind); }

  const StoreKind* join(const StoreKind& one, const StoreKind& other, std::string& problem) const override {
    return sql::kind_for_any_engine(fmt::format("{}\n;\n{}", one.schema, other.schema), problem);
  }

  Found find_program(const std::vector<std::string>& command, std::string_view folder,
                     std::string_view scenario_path) const override {
    std::string path = from_scenario(scenario_path, folder);
    if (path.empty()) path = ".";
    const std::lock_guard lock(mutex_);
    const auto key = std::pair(command, path);
    const auto known = programs_.find(key);
    if (known != programs_.end()) return offered(*known->second);
    std::string problem;
    const std::string name = process::name_of({command, path});
    auto program = process::Program::read({command, path}, sql::kind_for_any_engine, kPatience, problem);
    if (program == nullptr)
      return {nullptr, fmt::format("{}: {}", name, format::printable(problem, kSaid)),
              hint_for(name, command)};
    return offered(*programs_.emplace(key, std::move(program)).first->second);
  }

 private:
  // A lua::Design or a process::Program.
  static Found offered(const auto& design, std::vector<std::string> warnings = {}) {
    return {.kind = design.elects() ? &design.kind() : nullptr,
            .scheduler = design.schedules() ? &design.scheduler() : nullptr,
            .warnings = std::move(warnings)};
  }

  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<const lua::Design>> designs_;
  mutable std::map<std::string, std::vector<std::string>> warnings_;  // of these
  // By command and folder.
  mutable std::map<std::pair<std::vector<std::string>, std::string>, std::unique_ptr<const process::Program>>
      programs_;
};

}  // namespace

const sim::DesignFiles& design_files() {
  static const UsersDesigns files;
  return files;
}

}  // namespace tenure::cli
