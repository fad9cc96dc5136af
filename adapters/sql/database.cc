#include "adapters/sql/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>

#include "adapters/sql/catalog.h"
#include "adapters/sql/engine_functions.h"
#include "adapters/sql/literals.h"
#include "adapters/sql/plan.h"
#include "adapters/sql/statement_errors.h"
#include "adapters/sql/utf8.h"
#include "core/base/check.h"

namespace tenure::sql {
namespace {

constexpr std::int64_t kNanosPerMicro = 1'000;

// The number that begins at `at`, and is passed over.
int number_in(std::string_view text, std::size_t& at) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  at = static_cast<std::size_t>(end - text.data());
  return error == std::errc() ? number : 0;
}

// "t3.c1, t3.c2" as a table's number and places in it.
std::pair<int, std::vector<std::size_t>> columns_in(std::string_view text) {
  int table = 0;
  std::vector<std::size_t> places;
  for (std::size_t at = text.find('t'); at != std::string_view::npos; at = text.find('t', at)) {
    table = number_in(text, ++at);
    at += 2;  // ".c"
    places.push_back(static_cast<std::size_t>(number_in(text, at)) - 1);
  }
  return {table, std::move(places)};
}

Error statement_error(const char* sqlstate, std::string message) {
  return {Error::Kind::statement, sqlstate, std::move(message), 0};
}

// SQLite's words for a broken constraint, in Postgres' words.
Error constraint_error(int code, std::string_view message, const Catalog& catalog) {
  const std::size_t colon = message.find(": ");
  const std::string_view what = colon == std::string_view::npos ? "" : message.substr(colon + 2);
  if (code == SQLITE_CONSTRAINT_CHECK) {
    std::size_t at = 1;  // behind the k
    const int table_number = number_in(what, at);
    ++at;
    const auto check = static_cast<std::size_t>(number_in(what, at));
    const SchemaTable& table = catalog.tables.at(static_cast<std::size_t>(table_number) - 1);
    return statement_error(
        "23514", fmt::format("new row for relation \"{}\" violates check constraint \"{}\"", table.name,
                             table.checks.at(check - 1)));
  }
  const auto [number, places] = columns_in(what);
  const SchemaTable& table = catalog.tables.at(static_cast<std::size_t>(number) - 1);
  if (code == SQLITE_CONSTRAINT_NOTNULL)
    return statement_error(
        "23502", fmt::format("null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                             table.columns.at(places.front()).name, table.name));
  const std::vector<std::size_t>& columns = places;
  const auto key = std::find_if(table.keys.begin(), table.keys.end(),
                                [&](const UniqueKey& k) { return k.columns == columns; });
  return statement_error("23505", fmt::format("duplicate key value violates unique constraint \"{}\"",
                                              key == table.keys.end() ? "" : key->name));
}

}  // namespace

struct Database::Engine {
  explicit Engine(Schema of) : schema(std::move(of)) {
    CHECK(sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                          nullptr) == SQLITE_OK);
    sqlite3_exec(db, fmt::format("PRAGMA max_page_count = {}", kMostPages).c_str(), nullptr, nullptr,
                 nullptr);
    sqlite3_progress_handler(db, kStepsACount, count_steps, this);
    add_functions(db, &state);
    state.sequence_types = schema.catalog().sequences;
    state.sequences.assign(state.sequence_types.size(), 0);
  }
  ~Engine() {
    for (auto& [sql, statement] : prepared) sqlite3_finalize(statement);
    sqlite3_close_v2(db);
  }
  Engine(const Engine&) = delete;

  // What SQLite's machine does counts: a statement that would take minutes is an error in the design.
  static int count_steps(void* self) {
    auto& engine = *static_cast<Engine*>(self);
    engine.steps += kStepsACount;
    return engine.steps > kMostSteps ? 1 : 0;
  }

  void run(const char* sql) { CHECK(sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK); }

  std::variant<SqlRows, Error> execute(const Plan& plan, std::span<const Value> parameters, StoreTime now);
  // nullptr: SQLite does not take it, and says why.
  sqlite3_stmt* statement_of(const Plan& plan);
  void bind(sqlite3_stmt* statement, const Plan& plan, std::span<const Value> parameters, StoreTime now);
  Error failure(const Catalog& catalog);

  static constexpr int kMostPages = 16'384;  // of 4 KB: 64 MB
  static constexpr int kStepsACount = 10'000;
  static constexpr std::int64_t kMostSteps = 20'000'000;  // a statement; about a second

  Schema schema;
  sqlite3* db = nullptr;
  std::int64_t steps = 0;  // of the statement that runs
  EngineState state;
  std::map<std::string, sqlite3_stmt*, std::less<>> prepared;  // by SQLite's SQL
};

sqlite3_stmt* Database::Engine::statement_of(const Plan& plan) {
  const auto found = prepared.find(plan.sql);
  if (found != prepared.end()) return found->second;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(db, plan.sql.c_str(), static_cast<int>(plan.sql.size()) + 1,
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
    return nullptr;
  prepared.emplace(plan.sql, statement);
  return statement;
}

namespace {

[[noreturn]] void wrong_parameter(std::size_t place, Type type) {
  throw FailedError{"42804", fmt::format("parameter ${} takes {}", place + 1, name_of(type))};
}

void bind_text(sqlite3_stmt* statement, int at, const std::string& text) {
  sqlite3_bind_text64(statement, at, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// A text is read as Postgres reads it; other values must have the type already.
void bind_parameter(sqlite3_stmt* statement, std::size_t place, Type type, const Value& value) {
  const int at = static_cast<int>(place) + 2;
  const auto bind_integer = [&](std::int64_t integer) { sqlite3_bind_int64(statement, at, integer); };
  if (std::holds_alternative<Null>(value)) {
    sqlite3_bind_null(statement, at);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    if (first_bad_byte(*text)) throw FailedError{"22021", "invalid byte sequence for encoding \"UTF8\""};
    switch (type) {
      case Type::text: return bind_text(statement, at, *text);
      case Type::uuid: return bind_text(statement, at, read_uuid(*text));
      case Type::boolean: return bind_integer(read_boolean(*text) ? 1 : 0);
      case Type::timestamptz: return bind_integer(read_timestamptz(*text));
      case Type::interval: return bind_integer(read_interval(*text));
      case Type::float8: try { return bind_integer(read_integer(*text, Type::int8));
        } catch (const FailedError&) {
          throw RefusedError{fmt::format("a number with a fraction for parameter ${}", place + 1)};
        }
      default: return bind_integer(read_integer(*text, type));
    }
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    if (type == Type::text) return bind_text(statement, at, std::to_string(*integer));
    if (type != Type::int2 && type != Type::int4 && type != Type::int8 && type != Type::float8)
      wrong_parameter(place, type);
    if (type != Type::float8) check_range(*integer, type);
    bind_integer(*integer);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    if (type == Type::text) return bind_text(statement, at, *flag ? "true" : "false");
    if (type != Type::boolean) wrong_parameter(place, type);
    bind_integer(*flag ? 1 : 0);
  } else if (const auto* time = std::get_if<StoreTime>(&value)) {
    if (type != Type::timestamptz) wrong_parameter(place, type);
    bind_integer(time->ns() / kNanosPerMicro);
  } else {
    const std::int64_t nanos = std::get<Duration>(value).ns();
    if (type != Type::interval) wrong_parameter(place, type);
    if (nanos % kNanosPerMicro != 0)
      throw RefusedError{fmt::format("parts of a microsecond for parameter ${}", place + 1)};
    bind_integer(nanos / kNanosPerMicro);
  }
}

Value value_of(sqlite3_stmt* statement, int column, Type type) {
  if (sqlite3_column_type(statement, column) == SQLITE_NULL) return Null{};
  switch (type) {
    case Type::text:
    case Type::uuid: {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
    case Type::boolean: return sqlite3_column_int64(statement, column) != 0;
    case Type::timestamptz: return StoreTime{} + Duration::micros(sqlite3_column_int64(statement, column));
    case Type::interval: return Duration::micros(sqlite3_column_int64(statement, column));
    default: return sqlite3_column_int64(statement, column);
  }
}

}  // namespace

void Database::Engine::bind(sqlite3_stmt* statement, const Plan& plan, std::span<const Value> parameters,
                            StoreTime now) {
  if (parameters.size() != plan.parameters.size())
    throw FailedError{
        "08P01", fmt::format("{} parameters given, {} needed", parameters.size(), plan.parameters.size())};
  sqlite3_bind_int64(statement, 1, now.ns() / kNanosPerMicro);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    bind_parameter(statement, i, plan.parameters[i], parameters[i]);
}

Error Database::Engine::failure(const Catalog& catalog) {
  if (state.error) return *std::exchange(state.error, std::nullopt);
  const int code = sqlite3_extended_errcode(db);
  const std::string message = sqlite3_errmsg(db);
  if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY ||
      code == SQLITE_CONSTRAINT_NOTNULL || code == SQLITE_CONSTRAINT_CHECK)
    return constraint_error(code, message, catalog);
  if ((code & 0xff) == SQLITE_FULL) return beyond_engine("a database of more than 64 MB");
  if ((code & 0xff) == SQLITE_INTERRUPT)
    return beyond_engine(fmt::format("a statement that takes more than {} steps", kMostSteps));
  if (message == "integer overflow") return statement_error("22003", "bigint out of range");
  return beyond_engine("SQLite: " + message);
}

std::variant<SqlRows, Error> Database::Engine::execute(const Plan& plan, std::span<const Value> parameters,
                                                       StoreTime now) {
  if (plan.error) return *plan.error;
  sqlite3_stmt* const statement = statement_of(plan);
  if (statement == nullptr) return failure(schema.catalog());
  SqlRows rows;
  try {
    bind(statement, plan, parameters, now);
  } catch (const FailedError& failed) {
    return statement_error(failed.sqlstate.c_str(), failed.message);
  } catch (const RefusedError& refused) {
    return beyond_engine(refused.what);
  }
  for (const AdmittedStatement::Column& column : plan.columns) rows.columns.push_back(column.name);
  std::vector<std::int64_t> sequences;
  if (plan.fits_first) sequences = state.sequences;
  steps = 0;
  int code = sqlite3_step(statement);
  for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
    std::vector<Value>& row = rows.rows.emplace_back();
    for (std::size_t i = 0; i < plan.columns.size(); ++i)
      row.push_back(value_of(statement, static_cast<int>(i), plan.columns[i].type));
  }
  rows.count =
      plan.kind == Plan::Kind::select ? static_cast<std::int64_t>(rows.rows.size()) : sqlite3_changes64(db);
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement);
    return rows;
  }
  Error error = failure(schema.catalog());
  if (plan.fits_first && error.sqlstate == "22001") state.sequences = std::move(sequences);
  sqlite3_reset(statement);
  return error;
}

Database::Database(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

std::variant<Database, Error> Database::open(const Schema& schema, StoreTime now) {
  auto engine = std::make_unique<Engine>(schema);
  engine->run(schema.catalog().ddl.c_str());
  for (const auto& plan : schema.catalog().first) {
    auto result = engine->execute(*plan, {}, now);
    if (auto* error = std::get_if<Error>(&result)) return std::move(*error);
  }
  return Database(std::move(engine));
}

std::variant<SqlRows, Error> Database::execute(const AdmittedStatement& statement,
                                               std::span<const Value> parameters, StoreTime now) {
  return engine_->execute(statement.plan(), parameters, now);
}

std::variant<std::vector<SqlRows>, Database::StepFailed> Database::transaction(std::span<const Step> steps,
                                                                               StoreTime now) {
  std::vector<SqlRows> results;
  engine_->run("BEGIN");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto result = engine_->execute(steps[i].statement.plan(), steps[i].parameters, now);
    if (auto* error = std::get_if<Error>(&result)) {
      // Some errors have undone everything by themselves.
      if (sqlite3_get_autocommit(engine_->db) == 0) engine_->run("ROLLBACK");
      return StepFailed{i, std::move(*error)};
    }
    results.push_back(std::move(std::get<SqlRows>(result)));
  }
  engine_->run("COMMIT");
  return results;
}

void Database::empty_unlogged_tables() {
  for (const SchemaTable& table : engine_->schema.catalog().tables) {
    if (!table.unlogged) continue;
    engine_->run(fmt::format("DELETE FROM {}", table.sql_name()).c_str());
    for (const TableColumn& column : table.columns)
      if (column.sequence != 0)
        engine_->state.sequences.at(static_cast<std::size_t>(column.sequence) - 1) = 0;
  }
}

Database Database::copy() const {
  auto engine = std::make_unique<Engine>(engine_->schema);
  sqlite3_backup* const backup = sqlite3_backup_init(engine->db, "main", engine_->db, "main");
  CHECK(backup != nullptr);
  CHECK(sqlite3_backup_step(backup, -1) == SQLITE_DONE);
  sqlite3_backup_finish(backup);
  engine->state.sequences = engine_->state.sequences;
  return Database(std::move(engine));
}

}  // namespace tenure::sql
