#include "cli/designs.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "adapters/lua/design.h"
#include "adapters/sql/sql_store.h"
#include "format/syntax/diagnostic.h"
#include "lab/session/read_file.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kMaxBytes = 1'000'000;
constexpr std::size_t kShown = 120;  // of a message, and of a line

class LuaFiles final : public sim::DesignFiles {
 public:
  bool names_one(std::string_view name) const override { return name.ends_with(".lua"); }

  Found find(std::string_view name, std::string_view scenario_path) const override {
    const std::string path =
        (std::filesystem::path(scenario_path).parent_path() / name).lexically_normal().string();
    const std::lock_guard lock(mutex_);
    const auto known = designs_.find(path);
    if (known != designs_.end()) return offered(*known->second);
    std::string why;
    const std::optional<std::string> text = lab::read_file(path, kMaxBytes + 1, why);
    if (!text)
      return {nullptr, fmt::format("cannot read {}: {}", path, why), "a path from the scenario's own folder"};
    if (text->size() > kMaxBytes) return {nullptr, fmt::format("{} has more than a million bytes", path), ""};
    lua::Problem problem;
    auto design = lua::Design::read(path, *text, sql::store_kind, problem);
    if (design == nullptr)
      return {nullptr,
              fmt::format("{}{}: {}", path, problem.line > 0 ? fmt::format(":{}", problem.line) : "",
                          sim::printable(problem.text, kShown)),
              sim::printable(problem.source, kShown)};
    return offered(*designs_.emplace(path, std::move(design)).first->second);
  }

  const StoreKind* join(const StoreKind& one, const StoreKind& other, std::string& problem) const override {
    return sql::store_kind(fmt::format("{}\n;\n{}", one.schema, other.schema), problem);
  }

 private:
  static Found offered(const lua::Design& design) {
    return {.kind = design.elects() ? &design.kind() : nullptr,
            .scheduler = design.schedules() ? &design.scheduler() : nullptr};
  }

  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<const lua::Design>> designs_;
};

}  // namespace

const sim::DesignFiles& design_files() {
  static const LuaFiles files;
  return files;
}

}  // namespace tenure::cli
