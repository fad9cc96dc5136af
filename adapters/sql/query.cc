// SELECT, VALUES, UNION and WITH.
#include <fmt/format.h>

#include <algorithm>

#include "adapters/sql/binder.h"

namespace tenure::sql {
namespace {

std::string output(std::size_t place) { return "o" + std::to_string(place + 1); }

// The functional dependence of Postgres: who is grouped by a table's primary key may show all of its columns.
bool grouped(const BareColumn& column, const Scope& scope, const std::set<std::string>& groups) {
  if (groups.contains(column.sql)) return true;
  for (const Source& source : scope.sources) {
    const bool mine = std::any_of(source.columns.begin(), source.columns.end(),
                                  [&](const Source::Column& c) { return c.sql == column.sql; });
    if (!mine || source.table == nullptr) continue;
    for (const UniqueKey& key : source.table->keys) {
      const bool all =
          key.primary && std::all_of(key.columns.begin(), key.columns.end(), [&](std::size_t place) {
            return groups.contains(source.columns[place].sql);
          });
      if (all) return true;
    }
  }
  return false;
}

void check_grouping(const Expression& value, const Scope& scope, const std::set<std::string>& groups) {
  for (const BareColumn& column : value.bare) {
    if (column.scope != &scope || grouped(column, scope, groups)) continue;
    throw FailedError{
        "42803",
        fmt::format("column \"{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                    column.name),
        column.at};
  }
}

// A number from 1, of a result column; 0 for anything else.
std::int64_t position_of(const TreeNode& node) {
  return node.kind() == "A_Const" && node.inside().has("ival") ? node.inside()["ival"]["ival"].integer() : 0;
}

const std::string* single_name(const TreeNode& node) {
  const std::vector<TreeNode>& fields = node["ColumnRef"]["fields"].items();
  return fields.size() == 1 && fields.front().kind() == "String" ? &fields.front().inside()["sval"].text()
                                                                 : nullptr;
}

// The result column of this name; npos for none.
std::size_t output_named(const std::vector<Expression>& columns, const std::string& name, const char* clause,
                         int at) {
  std::size_t found = std::string::npos;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name != name) continue;
    if (found != std::string::npos && columns[found].sql != columns[i].sql)
      throw FailedError{"42702", fmt::format("{} \"{}\" is ambiguous", clause, name), at};
    if (found == std::string::npos) found = i;
  }
  return found;
}

std::size_t checked_position(std::int64_t position, std::size_t count, const char* clause, int at) {
  if (position < 1 || static_cast<std::size_t>(position) > count)
    throw FailedError{"42P10", fmt::format("{} position {} is not in select list", clause, position), at};
  return static_cast<std::size_t>(position) - 1;
}

// Postgres' default, the other way round than SQLite's: NULL is the greatest.
std::string direction(const TreeNode& sort, int at) {
  expect_fields(sort, "ORDER BY", {"node", "sortby_dir", "sortby_nulls", "location"}, at);
  const std::string& way = sort["sortby_dir"].text();
  const std::string& nulls = sort["sortby_nulls"].text();
  const bool down = way == "SORTBY_DESC";
  const bool first = nulls == "SORTBY_NULLS_FIRST" || (nulls == "SORTBY_NULLS_DEFAULT" && down);
  return fmt::format(" {} NULLS {}", down ? "DESC" : "ASC", first ? "FIRST" : "LAST");
}

void expect_select(const TreeNode& node, int at) {
  if (node.has("lockingClause")) {
    const TreeNode& lock = node["lockingClause"].items().front().inside();
    std::string words = lock["strength"].text() == "LCS_FORUPDATE"        ? "FOR UPDATE"
                        : lock["strength"].text() == "LCS_FORNOKEYUPDATE" ? "FOR NO KEY UPDATE"
                        : lock["strength"].text() == "LCS_FORSHARE"       ? "FOR SHARE"
                                                                          : "FOR KEY SHARE";
    if (lock["waitPolicy"].text() == "LockWaitSkip") words += " SKIP LOCKED";
    if (lock["waitPolicy"].text() == "LockWaitError") words += " NOWAIT";
    throw RefusedError{"row locks: " + words, at, std::string(kOnPostgres)};
  }
  if (node.has("windowClause")) throw RefusedError{"window functions: WINDOW", at};
  if (node["limitOption"].text() == "LIMIT_OPTION_WITH_TIES") throw RefusedError{"FETCH … WITH TIES", at};
  if (node.has("intoClause")) throw RefusedError{"SELECT INTO", at, "put the table into the schema"};
  if (node["groupDistinct"].flag()) throw RefusedError{"GROUP BY DISTINCT", at};
  expect_fields(node, "SELECT",
                {"distinctClause", "targetList", "fromClause", "whereClause", "groupClause", "havingClause",
                 "valuesLists", "sortClause", "limitOffset", "limitCount", "limitOption", "withClause", "op",
                 "all", "larg", "rarg"},
                at);
}

}  // namespace

Query Binder::query(const TreeNode& node, const Scope* outer, bool resolve_unknown) {
  expect_select(node, place_);
  Scope common;
  common.outer = outer;
  const std::string prefix = node.has("withClause") ? with(node["withClause"], common) : "";
  Query made = !node["valuesLists"].empty()        ? values(node, &common, resolve_unknown)
               : node["op"].text() != "SETOP_NONE" ? union_all(node, &common)
                                                   : plain_select(node, common, resolve_unknown);
  made.sql = prefix + made.sql;
  return made;
}

std::string Binder::with(const TreeNode& clause, Scope& scope) {
  expect_fields(clause, "WITH", {"ctes", "recursive", "location"}, place_);
  if (clause["recursive"].flag()) throw RefusedError{"WITH RECURSIVE", place_of(clause, place_)};
  std::string sql;
  for (const TreeNode& item : clause["ctes"].items()) {
    const TreeNode& one = item.inside();
    const int at = place_of(one, place_);
    expect_fields(one, "WITH", {"ctename", "aliascolnames", "ctematerialized", "ctequery", "location"}, at);
    if (one["ctequery"].kind() != "SelectStmt")
      throw RefusedError{"WITH … AS (INSERT, UPDATE or DELETE …)", at,
                         "run it as a statement of its own, in a transaction"};
    const Query query_of_it = query(one["ctequery"].inside(), &scope, true);
    CommonTable table{one["ctename"].text(), fresh('w'), {}};
    const std::vector<TreeNode>& aliases = one["aliascolnames"].items();
    for (std::size_t i = 0; i < query_of_it.columns.size(); ++i) {
      const std::string name =
          i < aliases.size() ? aliases[i].inside()["sval"].text() : query_of_it.columns[i].name;
      table.columns.push_back({name, query_of_it.columns[i].type, output(i)});
    }
    const auto same = [&](const CommonTable& other) { return other.name == table.name; };
    if (std::any_of(scope.common.begin(), scope.common.end(), same))
      throw FailedError{"42712", fmt::format("WITH query name \"{}\" specified more than once", table.name),
                        at};
    sql += fmt::format("{}{} AS ({})", sql.empty() ? "WITH " : ", ", table.sql_name, query_of_it.sql);
    scope.common.push_back(std::move(table));
  }
  return sql + " ";
}

std::vector<Expression> Binder::targets(const TreeNode& list, Scope& scope, const char* clause) {
  std::vector<Expression> columns;
  for (const TreeNode& item : list.items()) {
    const TreeNode& target = item["ResTarget"];
    const int at = place_of(target, place_);
    place_ = at;
    expect_fields(target, clause, {"name", "val", "location"}, at);
    const std::vector<TreeNode>& fields = target["val"]["ColumnRef"]["fields"].items();
    if (!fields.empty() && fields.back().kind() == "A_Star") {
      const std::string table = fields.size() > 1 ? fields.front().inside()["sval"].text() : "";
      bool found = false;
      for (const Source& source : scope.sources) {
        if (!table.empty() && source.name != table) continue;
        found = true;
        for (const Source::Column& column : source.columns) {
          Expression value;
          value.type = column.type;
          value.sql = column.sql;
          value.at = at;
          value.name = column.name;
          value.bare.push_back({&scope, column.sql, source.name + "." + column.name, at});
          if (scope.groups != nullptr && scope.groups->contains(value.sql)) value.bare.clear();
          columns.push_back(std::move(value));
        }
      }
      if (!found && table.empty())
        throw FailedError{"42601", "SELECT * with no tables specified is not valid", at};
      if (!found)
        throw FailedError{"42P01", fmt::format("missing FROM-clause entry for table \"{}\"", table), at};
      continue;
    }
    Expression value = expression(target["val"], scope);
    if (value.at < 0) value.at = at;
    if (target.has("name")) value.name = target["name"].text();
    columns.push_back(std::move(value));
  }
  return columns;
}

Query Binder::plain_select(const TreeNode& node, Scope& common, bool resolve_unknown) {
  Scope scope;
  scope.outer = &common;
  std::string from;
  for (const TreeNode& item : node["fromClause"].items())
    from += (from.empty() ? " FROM " : ", ") + from_item(item, scope);
  scope.aggregates = true;
  Query made;
  made.columns = targets(node["targetList"], scope, "SELECT");
  scope.aggregates = false;
  std::string rest;
  if (node.has("whereClause")) rest += " WHERE " + condition(node["whereClause"], scope, "WHERE").sql;
  scope.aggregates = true;
  // What is grouped shows only once the targets are known: they are read again with that knowledge.
  std::set<std::string> groups;
  std::string group_sql;
  const auto add_group = [&](const Expression& value) {
    if (value.aggregate)
      throw FailedError{"42803", "aggregate functions are not allowed in GROUP BY", value.at};
    if (value.bare.empty()) throw RefusedError{"GROUP BY a constant", value.at};
    if (groups.insert(value.sql).second) group_sql += (group_sql.empty() ? " GROUP BY " : ", ") + value.sql;
  };
  for (const TreeNode& item : node["groupClause"].items()) {
    if (item.kind() == "GroupingSet") throw RefusedError{"GROUPING SETS, ROLLUP and CUBE", place_};
    const int at = place_of(item.inside(), place_);
    const std::string* name = single_name(item);
    if (item.kind() == "A_Const") {
      add_group(made.columns[checked_position(position_of(item), made.columns.size(), "GROUP BY", at)]);
      continue;
    }
    // An input column goes before a result column of the same name.
    const auto names_input = [&](const Source& source) {
      return std::any_of(source.columns.begin(), source.columns.end(),
                         [&](const auto& c) { return c.name == *name; });
    };
    const std::size_t place =
        name == nullptr || std::any_of(scope.sources.begin(), scope.sources.end(), names_input)
            ? std::string::npos
            : output_named(made.columns, *name, "GROUP BY", at);
    if (place != std::string::npos) {
      add_group(made.columns[place]);
    } else {
      scope.no_subqueries = "GROUP BY";
      add_group(expression(item, scope));
      scope.no_subqueries = nullptr;
    }
  }
  const auto aggregates = [](const Expression& value) { return value.aggregate; };
  bool is_grouped = !groups.empty() || node.has("havingClause") ||
                    std::any_of(made.columns.begin(), made.columns.end(), aggregates);
  scope.groups = &groups;
  if (is_grouped) made.columns = targets(node["targetList"], scope, "SELECT");
  rest += group_sql;
  if (node.has("havingClause")) {
    const Expression having = condition(node["havingClause"], scope, "HAVING");
    check_grouping(having, scope, groups);
    // SQLite has no HAVING without GROUP BY or an aggregate beside it.
    if (groups.empty() && std::none_of(made.columns.begin(), made.columns.end(), aggregates))
      throw RefusedError{"HAVING without GROUP BY", having.at};
    rest += " HAVING " + having.sql;
  }
  const bool distinct = node.has("distinctClause");
  if (distinct && !node["distinctClause"].items().front().empty() &&
      !node["distinctClause"].items().front().kind().empty())
    throw RefusedError{"DISTINCT ON", place_};
  std::string order;
  for (const TreeNode& item : node["sortClause"].items()) {
    const TreeNode& sort = item["SortBy"];
    const TreeNode& by = sort["node"];
    const int at = place_of(by.inside(), place_);
    const std::string way = direction(sort, at);
    std::size_t place = std::string::npos;
    if (by.kind() == "A_Const") {
      if (!by.inside().has("ival")) throw FailedError{"42601", "non-integer constant in ORDER BY", at};
      place = checked_position(position_of(by), made.columns.size(), "ORDER BY", at);
    } else if (const std::string* name = single_name(by)) {
      place = output_named(made.columns, *name, "ORDER BY", at);
    }
    if (place == std::string::npos) {
      const Expression value = expression(by, scope);
      if (value.aggregate) is_grouped = true;
      if (is_grouped) check_grouping(value, scope, groups);
      const auto same = [&](const Expression& column) { return column.sql == value.sql; };
      const auto shown = std::find_if(made.columns.begin(), made.columns.end(), same);
      if (shown != made.columns.end()) {
        place = static_cast<std::size_t>(shown - made.columns.begin());
      } else if (distinct) {
        throw FailedError{"42P10", "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                          at};
      } else {
        const bool constant = value.bare.empty() && !value.aggregate && !groups.contains(value.sql);
        if (constant) throw RefusedError{"ORDER BY a constant", at};
        order += (order.empty() ? " ORDER BY " : ", ") + value.sql + way;
        continue;
      }
    }
    order += (order.empty() ? " ORDER BY " : ", ") + std::to_string(place + 1) + way;
  }
  std::string list;
  for (std::size_t i = 0; i < made.columns.size(); ++i) {
    Expression& column = made.columns[i];
    if (is_grouped) check_grouping(column, scope, groups);
    if (resolve_unknown && column.type == Type::unknown) column = typed(std::move(column), Type::text);
    list += fmt::format("{}{} AS {}", i == 0 ? "" : ", ", column.sql, output(i));
  }
  // Postgres knows rows without columns.
  if (made.columns.empty()) throw RefusedError{"SELECT without columns", place_};
  made.sql = fmt::format("SELECT {}{}{}{}{}{}", distinct ? "DISTINCT " : "", list, from, rest, order,
                         limits(node, scope));
  return made;
}

std::string Binder::limits(const TreeNode& node, Scope& scope) {
  if (!node.has("limitCount") && !node.has("limitOffset")) return "";
  const auto bound = [&](const char* field, const char* word, const char* none) -> std::string {
    if (!node.has(field)) return none;
    Expression value = expression(node[field], scope);
    if (!value.bare.empty())
      throw FailedError{"42P10", fmt::format("argument of {} must not contain variables", word), value.at};
    value = convert(std::move(value), {Type::int8, 0}, Cast::assignment, word);
    return fmt::format("pg_limit('{}', {})", word, value.sql);
  };
  const std::string offset = bound("limitOffset", "OFFSET", "0");
  return fmt::format(" LIMIT {} OFFSET {}", bound("limitCount", "LIMIT", "-1"), offset);
}

Query Binder::values(const TreeNode& node, const Scope* outer, bool resolve_unknown) {
  if (node.has("sortClause") || node.has("limitCount") || node.has("limitOffset"))
    throw RefusedError{"VALUES with ORDER BY or LIMIT", place_};
  Scope scope;
  scope.outer = outer;
  scope.clause = "VALUES";
  std::vector<std::vector<Expression>> rows;
  for (const TreeNode& list : node["valuesLists"].items()) {
    std::vector<Expression>& row = rows.emplace_back();
    for (const TreeNode& item : list["List"]["items"].items()) row.push_back(expression(item, scope));
    if (row.size() != rows.front().size())
      throw FailedError{"42601", "VALUES lists must all be the same length", row.back().at};
  }
  Query made;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    std::vector<Expression> column;
    for (const std::vector<Expression>& row : rows) column.push_back(row[i]);
    const bool all_unknown = std::all_of(column.begin(), column.end(),
                                         [](const Expression& value) { return value.type == Type::unknown; });
    if (all_unknown && !resolve_unknown && rows.size() > 1)
      throw RefusedError{"VALUES of unknown types here", column.front().at};
    if (!all_unknown || resolve_unknown) {
      const Type type = common_type(column, "VALUES");
      for (std::size_t r = 0; r < rows.size(); ++r) rows[r][i] = cast_to(column[r], type, Cast::implicit);
    }
    Expression shown = rows.front()[i];
    shown.name = "column" + std::to_string(i + 1);
    made.columns.push_back(std::move(shown));
  }
  for (const std::vector<Expression>& row : rows) {
    std::string list;
    for (std::size_t i = 0; i < row.size(); ++i)
      list += fmt::format("{}{} AS {}", i == 0 ? "" : ", ", row[i].sql, output(i));
    made.sql += (made.sql.empty() ? "SELECT " : " UNION ALL SELECT ") + list;
  }
  return made;
}

Query Binder::union_all(const TreeNode& node, const Scope* outer) {
  const std::string& op = node["op"].text();
  if (op != "SETOP_UNION") throw RefusedError{op == "SETOP_EXCEPT" ? "EXCEPT" : "INTERSECT", place_};
  Query sides[2] = {query(node["larg"], outer, false), query(node["rarg"], outer, false)};
  if (sides[0].columns.size() != sides[1].columns.size())
    throw FailedError{"42601", "each UNION query must have the same number of columns", place_};
  Query made;
  std::string selects[2];
  for (std::size_t i = 0; i < sides[0].columns.size(); ++i) {
    const Type type = common_type({sides[0].columns[i], sides[1].columns[i]}, "UNION");
    for (std::size_t side = 0; side < 2; ++side) {
      Expression column = sides[side].columns[i];
      if (column.type != Type::unknown) column.sql = output(i);
      column = cast_to(std::move(column), type, Cast::implicit);
      selects[side] += fmt::format("{}{} AS {}", i == 0 ? "" : ", ", column.sql, output(i));
      column.bare.clear();
      column.aggregate = false;
      if (side == 0) made.columns.push_back(std::move(column));
    }
  }
  std::string order;
  for (const TreeNode& item : node["sortClause"].items()) {
    const TreeNode& by = item["SortBy"]["node"];
    const int at = place_of(by.inside(), place_);
    std::size_t place = std::string::npos;
    if (by.kind() == "A_Const")
      place = checked_position(position_of(by), made.columns.size(), "ORDER BY", at);
    else if (const std::string* name = single_name(by))
      place = output_named(made.columns, *name, "ORDER BY", at);
    if (place == std::string::npos)
      throw RefusedError{"ORDER BY an expression behind UNION", at, "order by a result column"};
    order +=
        fmt::format("{}{}{}", order.empty() ? " ORDER BY " : ", ", place + 1, direction(item["SortBy"], at));
  }
  Scope none;
  none.outer = outer;
  made.sql =
      fmt::format("SELECT {} FROM ({}) UNION{} SELECT {} FROM ({}){}{}", selects[0], sides[0].sql,
                  node["all"].flag() ? " ALL" : "", selects[1], sides[1].sql, order, limits(node, none));
  return made;
}

}  // namespace tenure::sql
