// FROM: tables, subqueries and joins.
#include <fmt/format.h>

#include <algorithm>

#include "adapters/sql/binder.h"

namespace tenure::sql {
namespace {

const CommonTable* common_named(const Scope& scope, const std::string& name) {
  for (const Scope* level = &scope; level != nullptr; level = level->outer) {
    for (const CommonTable& table : level->common) {
      if (table.name == name) return &table;
    }
  }
  return nullptr;
}

}  // namespace

Source Binder::source_of(const SchemaTable& table, std::string name) {
  Source source{std::move(name), fresh('r'), {}, &table};
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    source.columns.push_back(
        {table.columns[i].name, table.columns[i].type.type, source.sql_name + "." + sql_column(i)});
  return source;
}

void Binder::add_source(Source source, Scope& scope, int at) {
  const auto same = [&](const Source& other) { return other.name == source.name; };
  if (!source.name.empty() && std::any_of(scope.sources.begin(), scope.sources.end(), same))
    throw FailedError{"42712", fmt::format("table name \"{}\" specified more than once", source.name), at};
  scope.sources.push_back(std::move(source));
}

std::string Binder::from_item(const TreeNode& node, Scope& scope) {
  const std::string& kind = node.kind();
  if (kind == "RangeVar") return table_item(node.inside(), scope);
  if (kind == "JoinExpr") return joined(node.inside(), scope);
  if (kind == "RangeSubselect") return subquery_item(node.inside(), scope);
  if (kind == "RangeFunction") throw RefusedError{"functions in FROM, as generate_series", place_};
  if (kind == "RangeTableSample") throw RefusedError{"TABLESAMPLE", place_};
  throw RefusedError{kind, place_};
}

std::string Binder::table_item(const TreeNode& node, Scope& scope) {
  const int at = place_of(node, place_);
  place_ = at;
  const std::string& name = node["relname"].text();
  const TreeNode& alias = node["alias"];
  if (alias.has("colnames"))
    throw RefusedError{"other names for a table's columns", at, "name them in the SELECT"};
  const std::string& shown = alias.has("aliasname") ? alias["aliasname"].text() : name;
  const CommonTable* const common = node.has("schemaname") ? nullptr : common_named(scope, name);
  if (common != nullptr) {
    Source source{shown, fresh('r'), {}, nullptr};
    for (const Source::Column& column : common->columns)
      source.columns.push_back({column.name, column.type, source.sql_name + "." + column.sql});
    const std::string sql = common->sql_name + " AS " + source.sql_name;
    add_source(std::move(source), scope, at);
    return sql;
  }
  const SchemaTable& table = table_named(node, at);
  read_.insert(table.number);
  Source source = source_of(table, shown);
  const std::string sql = table.sql_name() + " AS " + source.sql_name;
  add_source(std::move(source), scope, at);
  return sql;
}

std::string Binder::subquery_item(const TreeNode& node, Scope& scope) {
  expect_fields(node, "a subquery", {"subquery", "alias", "lateral"}, place_);
  if (node["lateral"].flag()) throw RefusedError{"LATERAL", place_};
  const int at = place_;
  // It sees what is around the query, and not its neighbours.
  Query inner = query(node["subquery"]["SelectStmt"], scope.outer, true);
  const TreeNode& alias = node["alias"];
  if (alias.empty()) throw FailedError{"42601", "subquery in FROM must have an alias", at};
  const std::vector<TreeNode>& names = alias["colnames"].items();
  if (names.size() > inner.columns.size())
    throw FailedError{"42P10", fmt::format("table \"{}\" has too few columns", alias["aliasname"].text()),
                      at};
  Source source{alias["aliasname"].text(), fresh('r'), {}, nullptr};
  for (std::size_t i = 0; i < inner.columns.size(); ++i) {
    const std::string name = i < names.size() ? names[i].inside()["sval"].text() : inner.columns[i].name;
    source.columns.push_back({name, inner.columns[i].type, fmt::format("{}.o{}", source.sql_name, i + 1)});
  }
  const std::string sql = fmt::format("({}) AS {}", inner.sql, source.sql_name);
  add_source(std::move(source), scope, at);
  return sql;
}

std::string Binder::joined(const TreeNode& node, Scope& scope) {
  expect_fields(node, "JOIN", {"jointype", "isNatural", "larg", "rarg", "usingClause", "quals"}, place_);
  const int at = place_;
  if (node["isNatural"].flag()) throw RefusedError{"NATURAL JOIN", at, "write JOIN … ON"};
  if (node.has("usingClause")) throw RefusedError{"JOIN … USING", at, "write JOIN … ON"};
  const std::string& type = node["jointype"].text();
  if (type != "JOIN_INNER" && type != "JOIN_LEFT")
    throw RefusedError{"RIGHT and FULL JOIN", at, "write LEFT JOIN"};
  const std::size_t before = scope.sources.size();
  const std::string left = from_item(node["larg"], scope);
  std::string right = from_item(node["rarg"], scope);
  if (node["rarg"].kind() == "JoinExpr") right = "(" + right + ")";
  std::string sql = fmt::format("{} {} {}", left, type == "JOIN_LEFT" ? "LEFT JOIN" : "JOIN", right);
  if (!node.has("quals")) return sql;
  // ON sees the two sides of this join, and what is around the query.
  Scope sides;
  sides.outer = scope.outer;
  sides.sources.assign(scope.sources.begin() + static_cast<std::ptrdiff_t>(before), scope.sources.end());
  return sql + " ON " + condition(node["quals"], sides, "JOIN/ON").sql;
}

}  // namespace tenure::sql
