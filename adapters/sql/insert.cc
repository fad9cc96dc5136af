// INSERT.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "adapters/sql/binder.h"

namespace tenure::sql {
namespace {

bool same_columns(const UniqueKey& key, std::vector<std::size_t> places) {
  std::vector<std::size_t> of_key = key.columns;
  std::sort(of_key.begin(), of_key.end());
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return of_key == places;
}

bool is_default(const TreeNode& node) { return node.kind() == "SetToDefault"; }

}  // namespace

std::string Binder::fallback_of(const TableColumn& column) const {
  if (column.sequence != 0) return fmt::format("pg_next({})", column.sequence);
  return column.fallback.empty() ? "NULL" : column.fallback;
}

// Which columns the statement names, in its order; all of them if it names none.
std::vector<std::size_t> Binder::insert_places(const TreeNode& node, const SchemaTable& table) {
  std::vector<std::size_t> places;
  for (const TreeNode& item : node["cols"].items()) {
    const TreeNode& target = item["ResTarget"];
    const int at = place_of(target, place_);
    expect_fields(target, "a column of INSERT", {"name", "location"}, at);
    const std::string& name = target["name"].text();
    const auto place = table.find(name);
    if (!place)
      throw FailedError{"42703",
                        fmt::format("column \"{}\" of relation \"{}\" does not exist", name, table.name), at};
    if (std::find(places.begin(), places.end(), *place) != places.end())
      throw FailedError{"42701", fmt::format("column \"{}\" specified more than once", name), at};
    places.push_back(*place);
  }
  if (node.has("cols")) return places;
  for (std::size_t i = 0; i < table.columns.size(); ++i) places.push_back(i);
  return places;
}

// The rows, and the list of columns that they are for.
std::string Binder::inserted(const TreeNode& node, const SchemaTable& table,
                             const std::vector<std::size_t>& named, Scope& scope) {
  const TreeNode& select = node["selectStmt"]["SelectStmt"];
  const bool explicit_columns = node.has("cols");
  const auto check_count = [&](std::size_t count, int at) {
    if (count > named.size())
      throw FailedError{"42601", "INSERT has more expressions than target columns", at};
    if (explicit_columns && count < named.size())
      throw FailedError{"42601", "INSERT has more target columns than expressions", at};
  };
  const auto fit = [&](Expression value, std::size_t place) {
    const TableColumn& column = table.columns[place];
    if (column.always)
      throw FailedError{"428C9",
                        fmt::format("cannot insert a non-DEFAULT value into column \"{}\"", column.name),
                        value.at};
    return convert(std::move(value), column.type, Cast::assignment, column.name).sql;
  };
  std::vector<std::vector<std::string>> rows;
  std::size_t given = 0;
  std::string from;
  if (select.empty()) {
    rows.emplace_back();
  } else if (select.has("valuesLists") && !select.has("withClause")) {
    if (select.has("sortClause") || select.has("limitCount") || select.has("limitOffset"))
      throw RefusedError{"VALUES with ORDER BY or LIMIT", place_};
    scope.clause = "VALUES";
    for (const TreeNode& list : select["valuesLists"].items()) {
      const std::vector<TreeNode>& items = list["List"]["items"].items();
      std::vector<std::string>& row = rows.emplace_back();
      check_count(items.size(), place_);
      if (rows.size() > 1 && items.size() != given)
        throw FailedError{"42601", "VALUES lists must all be the same length", place_};
      given = items.size();
      for (std::size_t i = 0; i < items.size(); ++i)
        row.push_back(is_default(items[i]) ? fallback_of(table.columns[named[i]])
                                           : fit(expression(items[i], scope), named[i]));
    }
  } else {
    // Read whole before the first row is written, as in Postgres; and numbered behind its ORDER BY.
    const Query source = query(select, &scope, false);
    given = source.columns.size();
    check_count(given, place_);
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < given; ++i) {
      Expression value = source.columns[i];
      if (value.type != Type::unknown) value.sql = fmt::format("o{}", i + 1);
      row.push_back(fit(std::move(value), named[i]));
    }
    const std::string name = fresh('w');
    materialized_ = fmt::format("{} AS MATERIALIZED ({})", name, source.sql);
    from = fmt::format(" FROM {} WHERE true", name);
  }
  std::vector<std::size_t> filled(named.begin(), named.begin() + static_cast<std::ptrdiff_t>(given));
  for (std::size_t place = 0; place < table.columns.size(); ++place) {
    const std::string fallback = fallback_of(table.columns[place]);
    // SQLite has no row without a column.
    const bool is_given = std::find(filled.begin(), filled.end(), place) != filled.end();
    if (is_given || (fallback == "NULL" && !filled.empty())) continue;
    filled.push_back(place);
    for (std::vector<std::string>& row : rows) row.push_back(fallback);
  }
  // In the table's order, in which Postgres computes them: what fails first decides which numbers are taken.
  std::vector<std::size_t> order(filled.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return filled[a] < filled[b]; });
  const auto in_order = [&order](auto&& text_of) {
    std::string list;
    for (const std::size_t i : order) list += (list.empty() ? "" : ", ") + text_of(i);
    return list;
  };
  std::string sql = fmt::format("({})", in_order([&](std::size_t i) { return sql_column(filled[i]); }));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::string list = in_order([&](std::size_t i) { return rows[r][i]; });
    sql += from.empty() ? fmt::format("{}({})", r == 0 ? " VALUES " : ", ", list) : " SELECT " + list + from;
  }
  return sql;
}

std::string Binder::on_conflict(const TreeNode& node, const SchemaTable& table, const Source& target,
                                bool many, Scope& scope) {
  const int at = place_of(node, place_);
  expect_fields(node, "ON CONFLICT", {"action", "infer", "targetList", "whereClause", "location"}, at);
  const bool updates = node["action"].text() == "ONCONFLICT_UPDATE";
  const TreeNode& infer = node["infer"];
  std::string sql = " ON CONFLICT";
  if (updates && infer.empty())
    throw FailedError{"42601", "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                      at};
  if (!infer.empty()) {
    expect_fields(infer, "ON CONFLICT", {"indexElems", "conname", "whereClause", "location"}, at);
    if (infer.has("whereClause")) throw RefusedError{"ON CONFLICT … WHERE: a partial index", at};
    std::vector<std::size_t> places;
    for (const TreeNode& item : infer["indexElems"].items()) {
      const TreeNode& element = item["IndexElem"];
      if (element.has("expr")) throw RefusedError{"ON CONFLICT with an expression", at};
      if (element.has("collation") || element.has("opclass"))
        throw RefusedError{"ON CONFLICT with COLLATE or an operator class", at};
      const auto place = table.find(element["name"].text());
      if (!place)
        throw FailedError{"42703", fmt::format("column \"{}\" does not exist", element["name"].text()), at};
      places.push_back(*place);
    }
    const std::string& constraint = infer["conname"].text();
    const auto found = std::find_if(table.keys.begin(), table.keys.end(), [&](const UniqueKey& key) {
      return constraint.empty() ? !key.partial && same_columns(key, places)
                                : key.constraint && key.name == constraint;
    });
    if (found == table.keys.end() && !constraint.empty())
      throw FailedError{
          "42704", fmt::format("constraint \"{}\" for table \"{}\" does not exist", constraint, table.name),
          at};
    if (found == table.keys.end())
      throw FailedError{
          "42P10", "there is no unique or exclusion constraint matching the ON CONFLICT specification", at};
    std::string columns;
    for (const std::size_t place : found->columns)
      columns += (columns.empty() ? "" : ", ") + sql_column(place);
    sql += fmt::format(" ({})", columns);
  }
  if (!updates) return sql + " DO NOTHING";
  // Postgres fails where one statement touches a row twice; SQLite does it.
  if (many) throw RefusedError{"ON CONFLICT DO UPDATE for several rows", at, "insert one row a statement"};
  Source excluded = target;
  excluded.name = "excluded";
  excluded.sql_name = "excluded";
  for (std::size_t i = 0; i < excluded.columns.size(); ++i)
    excluded.columns[i].sql = "excluded." + sql_column(i);
  Scope both;
  both.outer = scope.outer;
  both.sources = {target, std::move(excluded)};
  sql += " DO UPDATE SET " + assignments(node["targetList"], table, both);
  if (node.has("whereClause")) sql += " WHERE " + condition(node["whereClause"], both, "WHERE").sql;
  return sql;
}

Plan Binder::bind_insert(const TreeNode& node) {
  expect_fields(
      node, "INSERT",
      {"relation", "cols", "selectStmt", "onConflictClause", "returningList", "withClause", "override"},
      place_);
  Plan plan;
  plan.kind = Plan::Kind::insert;
  if (node["override"].text() != "OVERRIDING_NOT_SET") throw RefusedError{"OVERRIDING", place_};
  Scope common;
  const std::string with_sql = node.has("withClause") ? with(node["withClause"], common) : "";
  const TreeNode& relation = node["relation"];
  const int at = place_of(relation, place_);
  const SchemaTable& table = table_named(relation, at);
  const Source target = source_of(
      table, relation["alias"].has("aliasname") ? relation["alias"]["aliasname"].text() : table.name);
  Scope scope;
  scope.outer = &common;
  const std::vector<std::size_t> places = insert_places(node, table);
  const std::string rows = inserted(node, table, places, scope);
  const TreeNode& select = node["selectStmt"]["SelectStmt"];
  const bool many = !select.empty() && select["valuesLists"].items().size() != 1;
  const std::string conflict =
      node.has("onConflictClause") ? on_conflict(node["onConflictClause"], table, target, many, scope) : "";
  plan.sql = with_sql;
  if (!materialized_.empty()) {
    if (!plan.sql.empty()) plan.sql.back() = ',';
    plan.sql += (plan.sql.empty() ? "WITH " : " ") + materialized_ + " ";
  }
  plan.sql += fmt::format("INSERT INTO {} AS {} {}{}", table.sql_name(), target.sql_name, rows, conflict);
  Scope shown;
  shown.outer = &common;
  shown.sources = {target};
  plan.sql += returning(node["returningList"], shown, plan);
  finish(plan);
  return plan;
}

}  // namespace tenure::sql
