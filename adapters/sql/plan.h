// What becomes of a statement: SQLite's SQL, and what its parameters and columns are.
//
// Parameter ?1 is the instant, in microseconds; $1 of the statement is ?2, and so on.
//
// Thread rule: immutable once made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/sql/statement.h"

namespace tenure::sql {

struct Catalog;

struct Plan {
  enum class Kind { select, insert, update, remove };
  Kind kind = Kind::select;
  std::string sql;
  std::vector<Type> parameters;
  std::vector<AdmittedStatement::Column> columns;
  std::optional<Error> error;
  // What has to fit a varchar(n) is a literal or a parameter: Postgres sees that before it touches a row or a sequence.
  bool fits_first = false;
};

class TreeNode;

// Throws RefusedError. What Postgres refuses is Plan::error; its places are offsets in `text`, the statement, until the
// caller makes them positions.
struct Placed;
Plan plan_of(const TreeNode& statement, std::string_view text, const Catalog& catalog);

}  // namespace tenure::sql
