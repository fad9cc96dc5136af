#include "cli/engines.h"

#include <memory>
#include <string>
#include <vector>

#include "adapters/sql/numbered.h"
#include "adapters/sql/sql_store.h"
#include "adapters/sql_postgres/postgres_engine.h"
#include "adapters/sqlite/sqlite_machine.h"
#include "cli/load.h"

namespace tenure::cli {
namespace {

std::unique_ptr<StoreMachine> make_sqlite() { return std::make_unique<SqliteMachine>(system_zones()); }

// What a design's schema runs on by itself.
const StoreKind* schema_on_sqlite(std::string_view schema) {
  std::string problem;
  return sql::store_kind(std::string(schema), problem);
}

const StoreKind* schema_on_postgres(std::string_view schema) {
  return sql_postgres::store_kind(schema, sql::numbered);
}

std::vector<StoreKind> make_engines() {
  std::vector<StoreKind> engines(2);
  StoreKind& sqlite = engines[0];
  sqlite.name = "sqlite";
  sqlite.summary = "the reference store on SQLite, in memory, and schemas of designs";
  sqlite.make = make_sqlite;
  sqlite.strongest_lease_lock = RowLock::update;
  sqlite.with_schema = schema_on_sqlite;
  StoreKind& postgres = engines[1];
  postgres.name = "postgres";
  postgres.summary = "schemas of designs on a real Postgres";
  postgres.with_schema = schema_on_postgres;
  postgres.has_sessions = true;
  return engines;
}

}  // namespace

std::span<const StoreKind> store_engines() {
  static const std::vector<StoreKind> engines = make_engines();
  return engines;
}

}  // namespace tenure::cli
