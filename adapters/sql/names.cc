// Names: which column or table a text means, or the error that Postgres gives.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "adapters/sql/binder.h"

namespace tenure::sql {
namespace {

constexpr std::array<std::string_view, 6> kSystemColumns = {"ctid", "xmin", "xmax",
                                                            "cmin", "cmax", "tableoid"};

std::string written(const std::string& table, const std::string& name) {
  return table.empty() ? name : table + "." + name;
}

Expression expression_of(const Scope& scope, const Source& source, const Source::Column& column, int at) {
  Expression value;
  value.type = column.type;
  value.sql = column.sql;
  value.at = at;
  value.name = column.name;
  value.strong = true;
  value.bare.push_back({&scope, column.sql, written(source.name, column.name), at});
  return value;
}

}  // namespace

void absorb(Expression& whole, const Expression& part) {
  whole.aggregate = whole.aggregate || part.aggregate;
  whole.bare.insert(whole.bare.end(), part.bare.begin(), part.bare.end());
}

std::optional<std::size_t> SchemaTable::find(std::string_view column) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const TableColumn& c) { return c.name == column; });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

const SchemaTable* Catalog::find(std::string_view table) const {
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const SchemaTable& t) { return t.name == table; });
  return found == tables.end() ? nullptr : &*found;
}

std::string quoted(std::string_view text) {
  std::string sql = "'";
  for (const char c : text) {
    sql += c;
    if (c == '\'') sql += c;
  }
  return sql + "'";
}

int place_of(const TreeNode& node, int otherwise) {
  return node.has("location") && node["location"].integer() >= 0
             ? static_cast<int>(node["location"].integer())
             : otherwise;
}

Expression Binder::column(const TreeNode& node, Scope& scope) {
  const int at = place_of(node, place_);
  const std::vector<TreeNode>& fields = node["fields"].items();
  if (fields.size() > 2) throw RefusedError{"a column with a schema's name", at, "write table.column"};
  if (fields.back().kind() == "A_Star") throw RefusedError{"* here: whole rows", at, "name the columns"};
  const auto text_of = [](const TreeNode& field) { return field.inside()["sval"].text(); };
  const std::string table = fields.size() == 2 ? text_of(fields.front()) : "";
  return column_of(scope, table, text_of(fields.back()), at);
}

// Postgres: the innermost query in which the name means something; there it may mean one thing only.
Expression Binder::column_of(const Scope& scope, const std::string& table, const std::string& name, int at) {
  const bool system_column =
      std::find(kSystemColumns.begin(), kSystemColumns.end(), name) != kSystemColumns.end();
  if (system_column) throw RefusedError{"system columns: " + name, at};
  bool table_seen = false;
  for (const Scope* level = &scope; level != nullptr; level = level->outer) {
    std::optional<Expression> found;
    for (const Source& source : level->sources) {
      if (!table.empty() && source.name != table) continue;
      table_seen = true;
      for (const Source::Column& column : source.columns) {
        if (column.name != name) continue;
        if (found) throw FailedError{"42702", fmt::format("column reference \"{}\" is ambiguous", name), at};
        found = expression_of(*level, source, column, at);
      }
      if (table.empty() && !found && source.name == name)
        throw RefusedError{"whole rows: " + name, at, "name the columns"};
    }
    if (found) {
      if (level != &scope) outer_.push_back(found->bare.front());
      return *found;
    }
    if (!table.empty() && table_seen) break;
  }
  if (!table.empty() && !table_seen)
    throw FailedError{"42P01", fmt::format("missing FROM-clause entry for table \"{}\"", table), at};
  if (table.empty()) throw FailedError{"42703", fmt::format("column \"{}\" does not exist", name), at};
  throw FailedError{"42703", fmt::format("column {}.{} does not exist", table, name), at};
}

const SchemaTable& Binder::table_named(const TreeNode& range, int at) {
  expect_fields(range, "a table", {"relname", "schemaname", "alias", "inh", "relpersistence", "location"},
                at);
  const std::string& name = range["relname"].text();
  const std::string& schema = range["schemaname"].text();
  if (schema == "pg_catalog" || schema == "information_schema" || name.starts_with("pg_"))
    throw RefusedError{"tables of the system: " + written(schema, name), at};
  if (!range["inh"].flag()) throw RefusedError{"ONLY", at, "leave it out: no table here inherits"};
  const SchemaTable* const table = schema.empty() || schema == "public" ? catalog_.find(name) : nullptr;
  if (table == nullptr)
    throw FailedError{"42P01", fmt::format("relation \"{}\" does not exist", written(schema, name)), at};
  return *table;
}

}  // namespace tenure::sql
