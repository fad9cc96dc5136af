#include "adapters/sqlite/migrate.h"

#include <fmt/format.h>

#include <cstdlib>

namespace tenure::sqlite {
namespace {

constexpr std::string_view kMarker = "-- migration ";
constexpr const char* kNewer =
    "run a newer program; if a build from before 0.1.0 made them, make a new database";

// 0: the file has no tables of Tenure.
std::int64_t version_of(SqliteConnection& connection) {
  const bool there =
      !connection.ask("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'tenure_meta'").empty();
  if (!there) return 0;
  return std::strtoll(connection.ask("SELECT schema_version FROM tenure_meta").c_str(), nullptr, 10);
}

// The statements of migration `number`; empty when there is none.
std::string_view migration(const SqliteTables& tables, std::int64_t number) {
  const std::string_view all = tables.migrations;
  const std::size_t begin = all.find(fmt::format("\n{}{}:", kMarker, number));
  if (begin == std::string_view::npos) return {};
  const std::size_t end = all.find(fmt::format("\n{}{}:", kMarker, number + 1), begin);
  return all.substr(begin, end == std::string_view::npos ? end : end - begin);
}

// The same, and that it is done.
std::string step(const SqliteTables& tables, std::int64_t number) {
  const std::string noted =
      number == 1 ? std::string("INSERT INTO tenure_meta (one, schema_version, branch) VALUES (1, 1, 1);")
                  : fmt::format("UPDATE tenure_meta SET schema_version = {};", number);
  return fmt::format("{}\n{}\n", migration(tables, number), noted);
}

}  // namespace

std::string migration_script() {
  const SqliteTables tables = tables_of_this_program();
  std::string script;
  for (std::int64_t number = 1; number <= tables.version; ++number) script += step(tables, number);
  return script;
}

std::string wrong_version(std::int64_t found, const std::string& path, const SqliteTables& tables) {
  if (found == 0)
    return fmt::format(
        "{}: has no tables of Tenure; an account with the rights has to make them: `tenure print migrations "
        "sqlite` prints the SQL",
        path);
  return fmt::format("{}: its tables are of version {}, and this program works with {} and {}: {}", path,
                     found, tables.version, tables.version + 1,
                     found > tables.version ? kNewer : "migrate them");
}

std::optional<OpenError> others_use(SqliteConnection& connection, const std::string& path) {
  if (version_of(connection) != 0) return std::nullopt;
  const std::string application = connection.ask("PRAGMA application_id");
  const std::string other = connection.ask(
      "SELECT name FROM sqlite_master WHERE name NOT GLOB 'tenure_*' AND name NOT GLOB 'sqlite_*'");
  if (application == "0" && other.empty()) return std::nullopt;
  return OpenError{
      StoreError::wrong_schema,
      fmt::format("{}: is the database of another program ({}), and gets no tables of Tenure; name a new "
                  "file, or feed this one `tenure print migrations sqlite`",
                  path, other.empty() ? "its application_id is " + application : "it has `" + other + "`")};
}

std::optional<OpenError> migrate(SqliteConnection& connection, const std::string& path, bool may_change,
                                 const SqliteTables& tables) {
  const auto usable = [&](std::int64_t version) {  // its own and the next
    return version >= tables.version && version <= tables.version + 1;
  };
  std::int64_t version = version_of(connection);
  if (usable(version)) return std::nullopt;
  if (version > tables.version || !may_change)
    return OpenError{StoreError::wrong_schema, wrong_version(version, path, tables)};

  connection.execute("BEGIN IMMEDIATE");
  version = version_of(connection);  // another process may have been first
  if (!usable(version)) {
    while (version < tables.version) connection.execute(step(tables, ++version));
  }
  connection.execute("COMMIT");
  return std::nullopt;
}

}  // namespace tenure::sqlite
