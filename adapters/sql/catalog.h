// The tables of a schema, and what they are called in SQLite: t1, t2, … with columns c1, c2, …, so that no name of the
// user's meets SQLite's own rules for names.
//
// Thread rule: immutable once read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/sql/value.h"

namespace tenure::sql {

struct Plan;

struct ColumnType {
  Type type = Type::unknown;
  int most_characters = 0;  // varchar(n); 0: any number
};

struct TableColumn {
  std::string name;
  ColumnType type;
  bool not_null = false;
  std::string fallback;  // its DEFAULT in SQLite's SQL, of its type; "" for NULL
  int sequence = 0;      // of a serial column, from 1; 0: none
  bool always = false;   // GENERATED ALWAYS: only DEFAULT may be written
};

struct UniqueKey {
  std::string name;                  // of the constraint or index
  std::vector<std::size_t> columns;  // places in the table
  bool partial = false;              // has a WHERE: matches no ON CONFLICT (…) without one
  bool primary = false;
  bool constraint = false;  // may be named by ON CONSTRAINT
};

struct SchemaTable {
  std::string name;
  int number = 0;         // from 1
  bool unlogged = false;  // neither a crash nor a failover keeps its rows
  std::vector<TableColumn> columns;
  std::vector<UniqueKey> keys;
  std::vector<std::string> checks;  // names, in step with SQLite's: k1, k2, …

  std::string sql_name() const { return "t" + std::to_string(number); }
  std::optional<std::size_t> find(std::string_view column) const;
};

inline std::string sql_column(std::size_t place) { return "c" + std::to_string(place + 1); }

struct Catalog {
  std::vector<SchemaTable> tables;
  std::vector<std::string> indexes;                // their names
  std::vector<Type> sequences;                     // the type of what each numbers; from 1
  std::string ddl;                                 // for SQLite
  std::vector<std::shared_ptr<const Plan>> first;  // INSERTs

  const SchemaTable* find(std::string_view table) const;
};

}  // namespace tenure::sql
