#include "cli/commands/print_command.h"

#include "adapters/postgres/migrate.h"
#include "adapters/sqlite/migrate.h"

namespace tenure::cli {
namespace {

struct Script {
  std::string_view name;
  std::string (*script)();
};
constexpr Script kScripts[] = {{"postgres", postgres::migration_script},
                               {"sqlite", sqlite::migration_script}};

}  // namespace

std::vector<std::string_view> engines_with_migrations() {
  std::vector<std::string_view> names;
  for (const Script& engine : kScripts) names.push_back(engine.name);
  return names;
}

ExitCode print_migrations_command(const std::string& engine, Streams& streams) {
  for (const Script& each : kScripts)
    if (each.name == engine) streams.out << each.script();
  return ExitCode::pass;
}

}  // namespace tenure::cli
