#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "adapters/postgres/migrate.h"
#include "adapters/sqlite/migrate.h"
#include "cli/arguments/completion.h"
#include "cli/commands/commands.h"
#include "format/syntax/suggest.h"

namespace tenure::cli {
namespace {

std::vector<std::string_view> engines_with_migrations() { return {"postgres", "sqlite"}; }

std::string migrations(const CommandLines&, std::string_view engine) {
  return engine == "postgres" ? postgres::migration_script() : sqlite::migration_script();
}

struct Printed {
  std::string_view what;
  std::string_view lacking;  // said of a name that is not among them
  std::vector<std::string_view> (*names)();
  std::string (*text)(const CommandLines& lines, std::string_view name);
};
constexpr Printed kPrinted[] = {
    {"migrations", "no migrations for", engines_with_migrations, migrations},
    {"completion", "no completion for", shells_with_completion, completion_script},
};

}  // namespace

ExitCode print_command(const std::string& what, const std::string& name, const CommandLines& lines,
                       Streams& streams) {
  std::vector<std::string_view> known;
  for (const Printed& each : kPrinted) {
    known.push_back(each.what);
    if (each.what != what) continue;
    const std::vector<std::string_view> names = each.names();
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UsageError(fmt::format("{} `{}`: {}", each.lacking, name, format::suggestion(name, names)));
    streams.out << each.text(lines, name);
    return ExitCode::pass;
  }
  throw UsageError(fmt::format("cannot print `{}`: {}", what, format::suggestion(what, known)));
}

}  // namespace tenure::cli
