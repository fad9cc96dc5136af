// Conditions, choices and subqueries in expressions.
#include <fmt/format.h>

#include <algorithm>

#include "adapters/sql/binder.h"

namespace tenure::sql {
namespace {

bool integral(Type type) { return type == Type::int2 || type == Type::int4 || type == Type::int8; }

Expression made_of(Type type, std::string sql, int at, const std::vector<Expression>& parts) {
  Expression value;
  value.type = type;
  value.sql = std::move(sql);
  value.at = at;
  for (const Expression& part : parts) absorb(value, part);
  return value;
}

}  // namespace

Expression Binder::expression(const TreeNode& node, Scope& scope) {
  const std::string& kind = node.kind();
  const TreeNode& inside = node.inside();
  place_ = place_of(inside, place_);
  Expression value;
  if (kind == "ColumnRef")
    value = column(inside, scope);
  else if (kind == "A_Const")
    value = constant(inside);
  else if (kind == "ParamRef")
    value = parameter(inside);
  else if (kind == "A_Expr")
    value = operation(inside, scope);
  else if (kind == "BoolExpr")
    value = logic(inside, scope);
  else if (kind == "NullTest" || kind == "BooleanTest")
    value = test_of(kind, inside, scope);
  else if (kind == "CaseExpr")
    value = case_of(inside, scope);
  else if (kind == "CoalesceExpr")
    value = choice(inside, scope, "coalesce");
  else if (kind == "MinMaxExpr")
    value = choice(inside, scope, inside["op"].text() == "IS_GREATEST" ? "greatest" : "least");
  else if (kind == "FuncCall")
    value = call(inside, scope);
  else if (kind == "SQLValueFunction")
    value = current_time(inside);
  else if (kind == "TypeCast")
    value = cast(inside, scope);
  else if (kind == "SubLink")
    value = sublink(inside, scope);
  else
    refuse_expression(kind);
  if (value.sql.size() > kLongestSql) throw RefusedError{"a statement that becomes as long as this", place_};
  if (scope.groups != nullptr && scope.groups->contains(value.sql)) value.bare.clear();
  return value;
}

void Binder::refuse_expression(const std::string& kind) const {
  if (kind == "A_ArrayExpr") throw RefusedError{"arrays: ARRAY[…]", place_};
  if (kind == "A_Indirection") throw RefusedError{"parts of arrays and rows", place_};
  if (kind == "RowExpr")
    throw RefusedError{"rows as values: (a, b)", place_, "compare the columns one by one"};
  if (kind == "SetToDefault") throw FailedError{"42601", "DEFAULT is not allowed in this context", place_};
  if (kind == "CollateClause")
    throw RefusedError{"COLLATE", place_, "leave it out: texts compare by their bytes (\"C\")"};
  if (kind == "CurrentOfExpr") throw RefusedError{"cursors: CURRENT OF", place_};
  if (kind == "XmlExpr" || kind == "XmlSerialize") throw RefusedError{"XML", place_};
  throw RefusedError{kind.empty() ? "this expression" : kind, place_};
}

Expression Binder::to_condition(Expression value, std::string_view where) {
  if (value.type == Type::unknown) return typed(std::move(value), Type::boolean);
  if (value.type != Type::boolean)
    throw FailedError{
        "42804", fmt::format("argument of {} must be type boolean, not type {}", where, name_of(value.type)),
        value.at};
  return value;
}

Expression Binder::condition(const TreeNode& node, Scope& scope, const char* clause) {
  const char* const before = scope.clause;
  scope.clause = clause;
  Expression value = to_condition(expression(node, scope), clause);
  scope.clause = before;
  return value;
}

Expression Binder::logic(const TreeNode& node, Scope& scope) {
  const int at = place_of(node, place_);
  const std::string& op = node["boolop"].text();
  const std::string_view word = op == "AND_EXPR" ? "AND" : op == "OR_EXPR" ? "OR" : "NOT";
  std::vector<Expression> parts;
  for (const TreeNode& part : node["args"].items())
    parts.push_back(to_condition(expression(part, scope), word));
  if (word == "NOT") return made_of(Type::boolean, "(NOT " + parts.front().sql + ")", at, parts);
  std::string sql;
  for (const Expression& part : parts) sql += (sql.empty() ? "" : fmt::format(" {} ", word)) + part.sql;
  return made_of(Type::boolean, "(" + sql + ")", at, parts);
}

Expression Binder::test_of(const std::string& kind, const TreeNode& node, Scope& scope) {
  expect_fields(node, "IS", {"arg", "nulltesttype", "booltesttype", "location"}, place_);
  const int at = place_of(node, place_);
  Expression value = expression(node["arg"], scope);
  if (kind == "NullTest") {
    if (value.type == Type::unknown) value = typed(std::move(value), Type::text);
    const bool is_null = node["nulltesttype"].text() == "IS_NULL";
    return made_of(Type::boolean, fmt::format("({} IS {})", value.sql, is_null ? "NULL" : "NOT NULL"), at,
                   {value});
  }
  // 0 and 1 are our booleans; SQLite's own IS TRUE is never written.
  const std::string& test = node["booltesttype"].text();
  const bool negated = test.starts_with("IS_NOT_");
  const std::string word = test.substr(negated ? 7 : 3);
  value = to_condition(std::move(value), "IS " + word);
  const std::string_view constant = word == "TRUE" ? "1" : word == "FALSE" ? "0" : "NULL";
  return made_of(Type::boolean, fmt::format("({} IS {}{})", value.sql, negated ? "NOT " : "", constant), at,
                 {value});
}

// Postgres: text if all are unknown; else the types must be of one kind, and the widest is taken.
Type Binder::common_type(const std::vector<Expression>& values, std::string_view where) {
  Type common = Type::unknown;
  for (const Expression& value : values) {
    if (value.type == Type::unknown || value.type == common) continue;
    if (common == Type::unknown) {
      common = value.type;
    } else if (integral(common) && integral(value.type)) {
      common = std::max(common, value.type);
    } else if ((integral(common) || common == Type::numeric) &&
               (integral(value.type) || value.type == Type::numeric)) {
      common = Type::numeric;
    } else {
      throw FailedError{
          "42804",
          fmt::format("{} types {} and {} cannot be matched", where, name_of(common), name_of(value.type)),
          value.at};
    }
  }
  return common == Type::unknown ? Type::text : common;
}

Expression Binder::case_of(const TreeNode& node, Scope& scope) {
  expect_fields(node, "CASE", {"arg", "args", "defresult", "location"}, place_);
  const int at = place_of(node, place_);
  std::vector<Expression> conditions, results;
  for (const TreeNode& when : node["args"].items()) {
    const TreeNode& one = when["CaseWhen"];
    if (node.has("arg")) {
      Expression value = expression(node["arg"], scope);
      if (value.type == Type::unknown) value = typed(std::move(value), Type::text);
      conditions.push_back(binary("=", std::move(value), expression(one["expr"], scope), place_of(one, at)));
    } else {
      conditions.push_back(to_condition(expression(one["expr"], scope), "CASE/WHEN"));
    }
    results.push_back(expression(one["result"], scope));
  }
  if (node.has("defresult")) results.push_back(expression(node["defresult"], scope));
  const Type type = common_type(results, "CASE");
  std::string sql = "(CASE";
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool last = i == conditions.size();
    results[i] = cast_to(std::move(results[i]), type, Cast::implicit);
    sql +=
        last ? " ELSE " + results[i].sql : fmt::format(" WHEN {} THEN {}", conditions[i].sql, results[i].sql);
  }
  Expression value = made_of(type, sql + " END)", at, results);
  for (const Expression& condition : conditions) absorb(value, condition);
  const bool named = node.has("defresult") && results.back().strong;
  value.name = named ? results.back().name : "case";
  value.strong = named;
  return value;
}

// SQLite's max(a, b) is NULL when one of them is; Postgres' greatest passes over it.
Expression Binder::choice(const TreeNode& node, Scope& scope, const char* function) {
  expect_fields(node, function, {"args", "op", "location"}, place_);
  const int at = place_of(node, place_);
  std::vector<Expression> parts;
  for (const TreeNode& part : node["args"].items()) parts.push_back(expression(part, scope));
  std::string upper(function);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  const Type type = common_type(parts, upper);
  std::string sql;
  for (Expression& part : parts) {
    part = cast_to(std::move(part), type, Cast::implicit);
    sql += (sql.empty() ? "" : ", ") + part.sql;
  }
  const bool coalesce = upper == "COALESCE";
  sql = coalesce && parts.size() == 1 ? parts.front().sql
                                      : fmt::format("{}{}({})", coalesce ? "" : "pg_", function, sql);
  Expression value = made_of(type, sql, at, parts);
  value.name = function;
  value.strong = true;
  return value;
}

Expression Binder::sublink(const TreeNode& node, Scope& scope) {
  expect_fields(node, "a subquery", {"subLinkType", "testexpr", "operName", "subselect", "location"}, place_);
  const int at = place_of(node, place_);
  const std::string& kind = node["subLinkType"].text();
  if (scope.no_subqueries != nullptr)
    throw RefusedError{fmt::format("a subquery in {}", scope.no_subqueries), at};
  std::vector<Expression> tested;
  if (node.has("testexpr")) tested.push_back(expression(node["testexpr"], scope));
  const std::size_t outer_before = outer_.size();
  const Query inner = query(node["subselect"]["SelectStmt"], &scope, true);
  Expression value;
  value.at = at;
  if (kind == "EXISTS_SUBLINK") {
    value.type = Type::boolean;
    value.sql = "EXISTS (" + inner.sql + ")";
    value.name = "exists";
    value.strong = true;
  } else {
    if (inner.columns.size() != 1) throw FailedError{"42601", "subquery must return only one column", at};
    Expression shown = inner.columns.front();
    shown.sql = "o1";
    shown.bare.clear();
    shown.aggregate = false;
    if (kind == "EXPR_SUBLINK") {
      value.type = shown.type;
      value.name = shown.name;
      value.strong = true;
      // SQLite takes the first of several rows, where Postgres fails.
      value.sql = fmt::format("(SELECT pg_single(count(*), max(o1)) FROM ({}))", inner.sql);
    } else if (kind == "ANY_SUBLINK" && !node.has("operName")) {
      const Expression equal = binary("=", tested.front(), shown, at);
      if (tested.front().type == Type::unknown) tested.front() = typed(tested.front(), shown.type);
      if (tested.front().type == Type::numeric || shown.type == Type::numeric)
        throw RefusedError{"numbers with a fraction in a subquery", at};
      value.type = Type::boolean;
      value.sql = fmt::format("({} IN ({}))", tested.front().sql, inner.sql);
      absorb(value, tested.front());
    } else {
      throw RefusedError{kind == "ARRAY_SUBLINK" ? "arrays: ARRAY(SELECT …)" : "ANY and ALL with a subquery",
                         at, "write IN or EXISTS"};
    }
  }
  value.bare.insert(value.bare.end(), outer_.begin() + static_cast<std::ptrdiff_t>(outer_before),
                    outer_.end());
  return value;
}

}  // namespace tenure::sql
