// Makes the tables, and migrates those of earlier versions.
//
//   1. The migrations in schema.sql are executed in order, once, in one transaction under the write lock. If several
//      processes open one file, one migrates it, and the others find it done.
//   2. Migrations expand first and contract a version later, so a program works with its own version of the tables and
//      with the next: instances are replaced one by one, and the first new one may migrate while old ones run.
//
// Thread rule: as Connection.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/sqlite/statement.h"
#include "adapters/store/answer.h"

namespace tenure::sqlite {

// The version of the tables that this program makes, and how far ahead it can follow.
inline constexpr std::int64_t kSchemaVersion = 2;
inline constexpr std::int64_t kNewestSchema = kSchemaVersion + 1;

// All migrations as they are in schema.sql.
std::string_view migrations();

// The migrations of a program, and the version that they lead to. Tests have made-up programs of later versions.
struct SqliteTables {
  std::string_view migrations;
  std::int64_t version;
};
inline SqliteTables tables_of_this_program() { return {migrations(), kSchemaVersion}; }

// SQL that makes the tables of this version from nothing, migration by migration, for users with their own migration
// tool.
std::string migration_script();

// The message for tables that this program cannot work with.
std::string wrong_version(std::int64_t found, const std::string& path,
                          const SqliteTables& tables = tables_of_this_program());

// Why a program that shares its file with no other makes no tables in this one; nothing if it is ours, or new.
std::optional<OpenError> others_use(SqliteConnection& connection, const std::string& path);

// Makes or finds tables that this program works with. With `may_change` false it only looks. Throws Failure.
std::optional<OpenError> migrate(SqliteConnection& connection, const std::string& path, bool may_change,
                                 const SqliteTables& tables = tables_of_this_program());

}  // namespace tenure::sqlite
