#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "adapters/postgres/migrate.h"
#include "adapters/sqlite/migrate.h"
#include "cli/commands/commands.h"
#include "format/syntax/suggest.h"

namespace tenure::cli {
namespace {

struct Script {
  std::string_view name;
  std::string (*script)();
};
constexpr Script kScripts[] = {{"postgres", postgres::migration_script},
                               {"sqlite", sqlite::migration_script}};

std::vector<std::string_view> engines_with_migrations() {
  std::vector<std::string_view> names;
  for (const Script& engine : kScripts) names.push_back(engine.name);
  return names;
}

}  // namespace

ExitCode print_command(const std::string& what, const std::string& engine, Streams& streams) {
  if (what != "migrations")
    throw UsageError(fmt::format("cannot print `{}`; `print migrations ENGINE` is all there is", what));
  const std::vector<std::string_view> engines = engines_with_migrations();
  for (const Script& each : kScripts)
    if (each.name == engine) {
      streams.out << each.script();
      return ExitCode::pass;
    }
  throw UsageError(fmt::format("no migrations for `{}`: {}", engine, format::suggestion(engine, engines)));
}

}  // namespace tenure::cli
