#include "adapters/postgres/migrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tenure::postgres {
namespace {

constexpr std::string_view kMarker = "-- migration ";
constexpr std::string_view kFunctions = "-- functions: ";
constexpr std::int64_t kFirst = 1;
constexpr const char* kSchema = "CREATE SCHEMA IF NOT EXISTS tenure";
constexpr const char* kStanding =
    "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean,"
    " current_setting('transaction_isolation'), current_setting('server_version_num')::bigint,"
    " (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    "  WHERE n.nspname = 'tenure' AND c.relname = 'meta')";
constexpr const char* kVersion = "SELECT coalesce(max(schema_version), 0) FROM tenure.meta";
// What a program calls is what runs with the rights of its owner.
constexpr const char* kRights =
    "SELECT string_agg('tenure.' || proname, ', ' ORDER BY proname) FROM pg_proc"
    " WHERE pronamespace = 'tenure'::regnamespace AND prosecdef AND NOT has_function_privilege(oid, "
    "'EXECUTE')";
constexpr const char* kIdentity = "SELECT replace(identity::text, '-', '') FROM tenure.meta";
// Any number that other programs are not likely to lock.
constexpr std::string_view kLock = "SELECT pg_advisory_xact_lock(7382639174650211)";

constexpr const char* kNewer =
    "run a newer program; if a build from before 0.1.0 made them, make a new database";

constexpr std::string_view kMayNot = "42501";
constexpr std::string_view kWhoMay =
    "this account may not: an account may that owns the database, or that was let with GRANT CREATE ON "
    "DATABASE";

// The statements of migration `number`; empty when there is none.
std::string_view migration(const PostgresTables& tables, std::int64_t number) {
  const std::string_view all = tables.migrations.substr(0, tables.migrations.find(kFunctions));
  const std::size_t begin = all.find(fmt::format("{}{}:", kMarker, number));
  if (begin == std::string_view::npos) return {};
  const std::size_t end = all.find(fmt::format("{}{}:", kMarker, number + 1), begin);
  return all.substr(begin, end == std::string_view::npos ? end : end - begin);
}

// Which are those of the newest version, whatever the tables' version was.
std::string_view functions(const PostgresTables& tables) {
  return tables.migrations.substr(tables.migrations.find(kFunctions));
}

// A migration, and that it is done.
std::string step(const PostgresTables& tables, std::int64_t number) {
  const std::string noted = number == 1 ? std::string("INSERT INTO tenure.meta VALUES (1, 1);")
                                        : fmt::format("UPDATE tenure.meta SET schema_version = {};", number);
  return fmt::format("{}\n{}\n", migration(tables, number), noted);
}

// Its own version and the next one.
bool usable(std::optional<std::int64_t> version, const PostgresTables& tables) {
  return version && *version >= tables.version && *version <= tables.version + 1;
}

// `found`: nothing when there are no tables.
std::string wrong_version(std::optional<std::int64_t> found, const PostgresTables& tables,
                          const std::string& place) {
  if (!found)
    return fmt::format(
        "{}: has no tables of Tenure; an account with the rights has to make them: `tenure print migrations "
        "postgres` prints the SQL",
        place);
  if (*found < kFirst) return fmt::format("{}: its tables are not Tenure's, by tenure.meta", place);
  return fmt::format("{}: its tables are of version {}, and this program works with {} and {}: {}", place,
                     *found, tables.version, tables.version + 1,
                     *found > tables.version ? kNewer : "migrate them");
}

// Nothing: there are no tables. Less than kFirst: tenure.meta says no version that there ever was.
std::optional<std::int64_t> version_of(PostgresConnection& connection, Deadline deadline) {
  ResultRow standing = connection.ask(kStanding, {}, deadline);
  standing.flag();
  standing.text();
  standing.integer();
  if (standing.null()) return std::nullopt;
  return connection.ask(kVersion, {}, deadline).integer();
}

// Why this server, or this session, will not do.
std::optional<OpenError> objection(PostgresConnection& connection, Deadline deadline) {
  ResultRow standing = connection.ask(kStanding, {}, deadline);
  if (standing.flag())
    return OpenError{StoreError::read_only,
                     connection.place() +
                         ": may only be read: this is a standby, or the account's "
                         "default_transaction_read_only is on; name the primary, or all hosts and "
                         "target_session_attrs=read-write"};
  const std::string_view isolation = standing.text();
  if (isolation != "read committed")
    return OpenError{
        StoreError::failed,
        fmt::format("{}: default_transaction_isolation is {}; set it to read committed for this account: "
                    "requests look again at rows that they have waited for",
                    connection.place(), isolation)};
  const std::int64_t server = standing.integer();
  if (server < 140'000)
    return OpenError{StoreError::failed, fmt::format("{}: Postgres {} is too old; 14 or later is needed",
                                                     connection.place(), server / 10'000)};
  return std::nullopt;
}

std::optional<OpenError> missing_rights(PostgresConnection& connection, Deadline deadline) {
  const std::string missing(connection.ask(kRights, {}, deadline).text());
  if (missing.empty()) return std::nullopt;
  return OpenError{StoreError::not_permitted,
                   fmt::format("{}: the account may not: EXECUTE on {}; the owner of the tables lets it with "
                               "SELECT tenure.grant_run('ROLE')",
                               connection.place(), missing)};
}

void make_tables(PostgresConnection& connection, const PostgresTables& tables, Deadline deadline) {
  connection.run("BEGIN", deadline);
  connection.run(fmt::format("SET LOCAL lock_timeout = {}", left_until(deadline).count()), deadline);
  connection.run(std::string(kLock), deadline);
  const auto found = version_of(connection, deadline);  // another instance may have been first
  if (!found) connection.run(kSchema, deadline);
  std::int64_t version = found.value_or(0);
  if (version < tables.version) {
    while (version < tables.version) connection.run(step(tables, ++version), deadline);
    connection.run(std::string(functions(tables)), deadline);
  }
  connection.run("COMMIT", deadline);
}

}  // namespace

std::string migration_script() {
  const PostgresTables tables = tables_of_this_program();
  std::string script = fmt::format("{};\n\n", kSchema);
  for (std::int64_t number = 1; number <= tables.version; ++number) script += step(tables, number);
  return script.append(functions(tables));
}

std::optional<OpenError> migrate(PostgresConnection& connection, bool may_change, Deadline deadline,
                                 Deadline to_change, const PostgresTables& tables) {
  if (auto error = objection(connection, deadline)) return error;
  const auto found = version_of(connection, deadline);
  if (!usable(found, tables)) {
    if (!may_change || (found && (*found < kFirst || *found > tables.version)))
      return OpenError{StoreError::wrong_schema, wrong_version(found, tables, connection.place())};
    try {
      deadline = std::max(deadline, to_change);
      make_tables(connection, tables, deadline);
    } catch (const PostgresFailure& failure) {
      if (failure.sqlstate != kMayNot) throw;
      return OpenError{StoreError::not_permitted,
                       fmt::format("{}; {}", wrong_version(found, tables, connection.place()), kWhoMay)};
    }
  }
  return missing_rights(connection, deadline);
}

std::string identity_of(PostgresConnection& connection, Deadline deadline) {
  return std::string(connection.ask(kIdentity, {}, deadline).text());
}

}  // namespace tenure::postgres
