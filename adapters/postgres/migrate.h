// Makes the tables, and migrates those of earlier versions.
//
//   1. The migrations in schema/*.sql are executed in order, once, in one transaction under an advisory lock. If
//      several instances start at once, one migrates, and the others wait and find it done. Then all functions are made
//      again, so that they are always those of the newest version.
//   2. Migrations expand first and contract a version later, so a program works with its own version of the tables
//      and with the next: instances are replaced one by one, and the first new one may migrate while old ones run.
//
// Thread rule: as Connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/postgres/connection.h"
#include "adapters/store/answer.h"

namespace tenure::postgres {

// The version of the tables that this program makes, and how far ahead it can follow.
inline constexpr std::int64_t kSchemaVersion = 3;
inline constexpr std::int64_t kNewestSchema = kSchemaVersion + 1;

// All migrations as they are in schema/*.sql, and then the functions.
std::string_view migrations();

// The migrations of a program, and the version that they lead to. Tests have made-up programs of later versions.
struct PostgresTables {
  std::string_view migrations;
  std::int64_t version;
};
inline PostgresTables tables_of_this_program() { return {migrations(), kSchemaVersion}; }

// SQL that makes the tables of this version from nothing, migration by migration, for users with their own migration
// tool.
std::string migration_script();

// Makes or finds tables that this program works with; checks that the server is a primary and that the account has the
// rights. With `may_change` false it only looks. It may look until `deadline`, and change until `to_change`. Throws
// Failure.
std::optional<OpenError> migrate(PostgresConnection& connection, bool may_change, Deadline deadline,
                                 Deadline to_change, const PostgresTables& tables = tables_of_this_program());

// As StoreBackend::identity(). REQUIRES: migrate() found nothing wrong. Throws Failure.
std::string identity_of(PostgresConnection& connection, Deadline deadline);

}  // namespace tenure::postgres
