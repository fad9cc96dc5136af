// UPDATE and DELETE, RETURNING, and what all statements end with.
#include <fmt/format.h>

#include <algorithm>

#include "adapters/sql/binder.h"

namespace tenure::sql {

// SET a = …, b = …. Each is computed from the row as it was.
std::string Binder::assignments(const TreeNode& list, const SchemaTable& table, Scope& scope) {
  std::string sql;
  std::vector<std::size_t> places;
  const std::set<int> read_before = read_;
  read_.clear();
  scope.clause = "UPDATE";
  for (const TreeNode& item : list.items()) {
    const TreeNode& target = item["ResTarget"];
    const int at = place_of(target, place_);
    place_ = at;
    if (target.has("indirection")) throw RefusedError{"SET of a part of a column", at};
    const std::string& name = target["name"].text();
    if (target["val"].kind() == "MultiAssignRef")
      throw RefusedError{"SET (a, b) = …", at, "write SET a = …, b = …"};
    const bool to_default = target["val"].kind() == "SetToDefault";
    Expression bound;
    if (!to_default) bound = expression(target["val"], scope);
    const auto place = table.find(name);
    if (!place)
      throw FailedError{"42703",
                        fmt::format("column \"{}\" of relation \"{}\" does not exist", name, table.name), at};
    if (std::find(places.begin(), places.end(), *place) != places.end())
      throw FailedError{"42601", fmt::format("multiple assignments to same column \"{}\"", name), at};
    places.push_back(*place);
    const TableColumn& column = table.columns[*place];
    if (column.always && !to_default)
      throw FailedError{"428C9", fmt::format("column \"{}\" can only be updated to DEFAULT", name), at};
    if (bound.at < 0) bound.at = at;
    const std::string value =
        to_default ? fallback_of(column) : convert(std::move(bound), column.type, Cast::assignment, name).sql;
    sql += fmt::format("{}{} = {}", sql.empty() ? "" : ", ", sql_column(*place), value);
  }
  // SQLite computes it row by row, and would see the rows that are changed already.
  if (read_.contains(table.number))
    throw RefusedError{"a subquery in SET that reads the table that is updated", place_, "read it in a WITH"};
  read_.insert(read_before.begin(), read_before.end());
  return sql;
}

std::string Binder::returning(const TreeNode& list, Scope& scope, Plan& plan) {
  if (list.items().empty()) return "";
  // SQLite knows the columns of the table that is written, by their own names.
  for (std::size_t s = 0; s < scope.sources.size(); ++s) {
    for (std::size_t i = 0; i < scope.sources[s].columns.size(); ++i)
      scope.sources[s].columns[i].sql = s == 0 ? sql_column(i) : "";
  }
  scope.no_subqueries = "RETURNING";
  scope.clause = "RETURNING";
  std::string sql;
  for (Expression& value : targets(list, scope, "RETURNING")) {
    const auto foreign = [](const BareColumn& column) { return column.sql.empty(); };
    if (std::any_of(value.bare.begin(), value.bare.end(), foreign))
      throw RefusedError{"RETURNING columns of another table", value.at};
    if (value.type == Type::unknown) value = typed(std::move(value), Type::text);
    if (value.type == Type::numeric)
      throw RefusedError{"a number with a fraction as a result", value.at, "cast it: (…)::bigint"};
    sql += (sql.empty() ? " RETURNING " : ", ") + value.sql;
    plan.columns.push_back({value.name, value.type});
  }
  return sql;
}

void Binder::finish(Plan& plan) {
  plan.parameters = parameters_;
  plan.fits_first = fits_constants_ && !fits_computed_;
  const auto open = std::find(parameters_.begin(), parameters_.end(), Type::unknown);
  if (open != parameters_.end())
    throw FailedError{"42P18", fmt::format("could not determine data type of parameter ${}",
                                           open - parameters_.begin() + 1)};
}

Plan Binder::bind_select(const TreeNode& node) {
  Plan plan;
  plan.kind = Plan::Kind::select;
  const Query whole = query(node, nullptr, true);
  plan.sql = whole.sql;
  for (const Expression& column : whole.columns) {
    if (column.type == Type::numeric || column.type == Type::float8)
      throw RefusedError{"a number with a fraction as a result", column.at, "cast it: (…)::bigint"};
    plan.columns.push_back({column.name, column.type});
  }
  finish(plan);
  return plan;
}

const SchemaTable& Binder::add_changed_table(const TreeNode& relation, Scope& scope) {
  const SchemaTable& table = table_named(relation, place_of(relation, place_));
  const TreeNode& alias = relation["alias"];
  add_source(source_of(table, alias.has("aliasname") ? alias["aliasname"].text() : table.name), scope,
             place_);
  return table;
}

Plan Binder::bind_update(const TreeNode& node) {
  expect_fields(node, "UPDATE",
                {"relation", "targetList", "whereClause", "fromClause", "returningList", "withClause"},
                place_);
  Plan plan;
  plan.kind = Plan::Kind::update;
  Scope common;
  const std::string with_sql = node.has("withClause") ? with(node["withClause"], common) : "";
  Scope scope;
  scope.outer = &common;
  const SchemaTable& table = add_changed_table(node["relation"], scope);
  std::string from;
  for (const TreeNode& item : node["fromClause"].items())
    from += (from.empty() ? " FROM " : ", ") + from_item(item, scope);
  const std::string where =
      node.has("whereClause") ? " WHERE " + condition(node["whereClause"], scope, "WHERE").sql : "";
  // Postgres reads RETURNING before SET, which matters to the types of parameters.
  Scope shown = scope;
  const std::string given = returning(node["returningList"], shown, plan);
  const std::string set = assignments(node["targetList"], table, scope);
  plan.sql = fmt::format("{}UPDATE {} AS {} SET {}{}{}{}", with_sql, table.sql_name(),
                         scope.sources.front().sql_name, set, from, where, given);
  finish(plan);
  return plan;
}

Plan Binder::bind_delete(const TreeNode& node) {
  expect_fields(node, "DELETE", {"relation", "usingClause", "whereClause", "returningList", "withClause"},
                place_);
  Plan plan;
  plan.kind = Plan::Kind::remove;
  Scope common;
  const std::string with_sql = node.has("withClause") ? with(node["withClause"], common) : "";
  Scope scope;
  scope.outer = &common;
  const SchemaTable& table = add_changed_table(node["relation"], scope);
  std::string from;
  for (const TreeNode& item : node["usingClause"].items())
    from += (from.empty() ? "" : ", ") + from_item(item, scope);
  std::string where = node.has("whereClause") ? condition(node["whereClause"], scope, "WHERE").sql : "1";
  // SQLite has no USING; a row goes when one row beside it fits.
  if (!from.empty()) where = fmt::format("EXISTS (SELECT 1 FROM {} WHERE {})", from, where);
  Scope shown = scope;
  const std::string given = returning(node["returningList"], shown, plan);
  plan.sql = fmt::format("{}DELETE FROM {} AS {} WHERE {}{}", with_sql, table.sql_name(),
                         scope.sources.front().sql_name, where, given);
  finish(plan);
  return plan;
}

}  // namespace tenure::sql
