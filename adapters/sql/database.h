// A database in memory that runs admitted statements at instants that it is told.
//
// 1. A statement sees one instant: every now() in it, and in its transaction, is the `now` that was handed in.
// 2. It happens whole or not at all.
// 3. Numbers of serial columns are taken for good: what is rolled back leaves a gap, as in Postgres.
// 4. The same calls in the same order give the same rows in the same order.
//
// Thread rule: one thread at a time. Different databases share nothing.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "adapters/sql/schema.h"
#include "adapters/sql/statement.h"
#include "adapters/sql/value.h"

namespace tenure::sql {

class Database {
 public:
  // A fresh database with the schema's first rows, whose now() is `now`. Error: one of those rows does not fit.
  static std::variant<Database, Error> open(const Schema& schema, StoreTime now);

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // REQUIRES: the statement was admitted for this schema. A parameter has the type that the statement says, or is a
  // text in Postgres' format for it. Too many or too few are an error (08P01).
  std::variant<SqlRows, Error> execute(const AdmittedStatement& statement, std::span<const Value> parameters,
                                       StoreTime now);

  struct Step {
    AdmittedStatement statement;
    std::vector<Value> parameters;
  };
  struct StepFailed {
    std::size_t step;  // from 0
    Error error;
  };
  // All of them or none, at one instant.
  std::variant<std::vector<SqlRows>, StepFailed> transaction(std::span<const Step> steps, StoreTime now);

  // As a server does that comes up after a crash, and a replica that is promoted: their numbers begin anew, too.
  void empty_unlogged_tables();

  // The database as it is now, apart from this one: a replica, or a state to come back to.
  Database copy() const;

 private:
  struct Engine;
  explicit Database(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace tenure::sql
