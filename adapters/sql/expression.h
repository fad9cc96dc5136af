// An expression with its type, in SQLite's SQL.
//
// Thread rule: plain values.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/sql/catalog.h"
#include "adapters/sql/value.h"

namespace tenure::sql {

struct Scope;

// A column outside of aggregates, which a grouped query may show only if it is grouped by it.
struct BareColumn {
  const Scope* scope;
  std::string sql;
  std::string name;  // "t.x", for messages
  int at;
};

struct Expression {
  Type type = Type::unknown;
  std::string sql;
  int at = -1;
  // Of a result column made of it; a strong name passes through CASE, a weak one (a type's) does not.
  std::string name = "?column?";
  bool strong = false;
  // While the type is unknown: a literal in quotes, a parameter, or neither (NULL).
  std::optional<std::string> literal;
  int parameter = 0;
  bool aggregate = false;  // has one of this query's
  std::vector<BareColumn> bare;
};

// What holds of an expression because it holds of a part.
void absorb(Expression& whole, const Expression& part);

// What a name may mean: a table, a subquery or a WITH.
struct Source {
  std::string name;  // "": none, as of VALUES
  std::string sql_name;
  struct Column {
    std::string name;
    Type type;
    std::string sql;  // qualified
  };
  std::vector<Column> columns;
  const SchemaTable* table = nullptr;
};

struct CommonTable {
  std::string name;
  std::string sql_name;
  std::vector<Source::Column> columns;
};

// The names that one query sees. Names are looked for here first, and then outside.
struct Scope {
  const Scope* outer = nullptr;
  std::vector<Source> sources;
  std::vector<CommonTable> common;
  bool aggregates = false;              // allowed here
  const char* clause = "WHERE";         // for messages about aggregates
  const char* no_subqueries = nullptr;  // where SQLite would run them at another moment; names the place
  // Once known: what the query is grouped by.
  const std::set<std::string>* groups = nullptr;
};

}  // namespace tenure::sql
