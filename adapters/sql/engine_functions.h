// What SQLite computes otherwise than Postgres, as functions of its own: pg_arith and others.
//
// Thread rule: the thread of the connection.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "adapters/sql/value.h"

struct sqlite3;

namespace tenure::sql {

// What the functions of one connection read and write beside their arguments.
struct EngineState {
  std::optional<Error> error;           // of the function that failed
  std::vector<std::int64_t> sequences;  // the last number each gave
  std::vector<Type> sequence_types;
};

// `state` lives as long as the connection.
void add_functions(sqlite3* db, EngineState* state);

}  // namespace tenure::sql
