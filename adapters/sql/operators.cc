// Operators, chosen by the types of both sides as Postgres chooses them.
#include <fmt/format.h>

#include <algorithm>

#include "adapters/sql/binder.h"

namespace tenure::sql {
namespace {

bool is_integer(Type type) { return type == Type::int2 || type == Type::int4 || type == Type::int8; }
bool is_comparison(const std::string& op) {
  return op == "=" || op == "<>" || op == "<" || op == "<=" || op == ">" || op == ">=";
}
bool is_arithmetic(const std::string& op) {
  return op == "+" || op == "-" || op == "*" || op == "/" || op == "%";
}

// Is there `type op type`? Postgres tries that first for an unknown on one side.
bool with_itself(const std::string& op, Type type) {
  if (is_comparison(op)) return true;
  if (op == "||") return type == Type::text;
  switch (type) {
    case Type::int2:
    case Type::int4:
    case Type::int8: return true;
    case Type::numeric: return op != "/" && op != "%";
    case Type::timestamptz: return op == "-";
    case Type::interval: return op == "+" || op == "-";
    default: return false;
  }
}

// What else an unknown beside `known` can be: the one operator that is left.
Type other_than_itself(const std::string& op, Type known, bool unknown_is_right) {
  if (known == Type::timestamptz && op == "+") return Type::interval;
  if (known == Type::interval && (op == "*" || (op == "/" && unknown_is_right))) return Type::float8;
  if (op == "||") return Type::text;
  return Type::unknown;
}

std::string arithmetic_sql(const std::string& op, Type type, const std::string& left,
                           const std::string& right) {
  return fmt::format("pg_arith('{}', {}, {}, {})", op, static_cast<int>(type), left, right);
}

std::string in_millionths(const Expression& value) {
  return is_integer(value.type) ? "pg_scale(" + value.sql + ")" : value.sql;
}

[[noreturn]] void no_operator(const std::string& op, const Expression& left, const Expression& right,
                              int at) {
  throw FailedError{
      "42883", fmt::format("operator does not exist: {} {} {}", name_of(left.type), op, name_of(right.type)),
      at};
}

Expression result(Type type, std::string sql, int at, const Expression& left, const Expression& right) {
  Expression value;
  value.type = type;
  value.sql = std::move(sql);
  value.at = at;
  absorb(value, left);
  absorb(value, right);
  return value;
}

// Time and intervals: the type of what comes out, unknown for none; `swapped`: the interval or time is on the right.
struct TimeRule {
  const char* op;
  Type left, right, out;
  bool swapped;
};
constexpr TimeRule kTimeRules[] = {
    {"+", Type::timestamptz, Type::interval, Type::timestamptz, false},
    {"+", Type::interval, Type::timestamptz, Type::timestamptz, true},
    {"-", Type::timestamptz, Type::interval, Type::timestamptz, false},
    {"-", Type::timestamptz, Type::timestamptz, Type::interval, false},
    {"+", Type::interval, Type::interval, Type::interval, false},
    {"-", Type::interval, Type::interval, Type::interval, false},
    {"*", Type::interval, Type::float8, Type::interval, false},
    {"*", Type::float8, Type::interval, Type::interval, true},
    {"/", Type::interval, Type::float8, Type::interval, false},
};

const TimeRule* time_rule(const std::string& op, Type left, Type right) {
  const auto as_factor = [](Type type) { return is_integer(type) ? Type::float8 : type; };
  const auto* found = std::find_if(std::begin(kTimeRules), std::end(kTimeRules), [&](const TimeRule& rule) {
    return op == rule.op && as_factor(left) == rule.left && as_factor(right) == rule.right;
  });
  return found == std::end(kTimeRules) ? nullptr : found;
}

}  // namespace

Expression Binder::compare(const std::string& op, Expression left, Expression right, int at) {
  const bool whole = is_integer(left.type) && is_integer(right.type);
  const auto is_number = [](Type type) { return is_integer(type) || type == Type::numeric; };
  if (!whole && is_number(left.type) && is_number(right.type))
    return result(Type::boolean, fmt::format("({} {} {})", in_millionths(left), op, in_millionths(right)), at,
                  left, right);
  if (!whole && left.type != right.type) no_operator(op, left, right, at);
  return result(Type::boolean, fmt::format("({} {} {})", left.sql, op, right.sql), at, left, right);
}

Expression Binder::binary(const std::string& op, Expression left, Expression right, int at) {
  if (!is_comparison(op) && !is_arithmetic(op) && op != "||")
    throw RefusedError{fmt::format("the operator {}", op), at};
  if (left.type == Type::unknown && right.type == Type::unknown) {
    if (is_arithmetic(op))
      throw FailedError{"42725", fmt::format("operator is not unique: unknown {} unknown", op), at};
    left = typed(std::move(left), Type::text);
    right = typed(std::move(right), Type::text);
  } else if (left.type == Type::unknown || right.type == Type::unknown) {
    const bool unknown_is_right = right.type == Type::unknown;
    Expression& unknown = unknown_is_right ? right : left;
    const Type known = unknown_is_right ? left.type : right.type;
    const Type type = with_itself(op, known) ? known : other_than_itself(op, known, unknown_is_right);
    if (type == Type::unknown) no_operator(op, left, right, at);
    unknown = typed(std::move(unknown), type);
  }
  if (is_comparison(op)) return compare(op, std::move(left), std::move(right), at);
  if (op == "||") {
    if (left.type != Type::text && right.type != Type::text) no_operator(op, left, right, at);
    left = cast_to(std::move(left), Type::text, Cast::written);
    right = cast_to(std::move(right), Type::text, Cast::written);
    return result(Type::text, fmt::format("({} || {})", left.sql, right.sql), at, left, right);
  }
  if (is_integer(left.type) && is_integer(right.type)) {
    const Type wider = std::max(left.type, right.type);
    return result(wider, arithmetic_sql(op, wider, left.sql, right.sql), at, left, right);
  }
  if (const TimeRule* rule = time_rule(op, left.type, right.type)) {
    const Expression& time = rule->swapped ? right : left;
    const Expression& other = rule->swapped ? left : right;
    return result(rule->out, arithmetic_sql(op, rule->out, time.sql, other.sql), at, left, right);
  }
  const bool numeric = left.type == Type::numeric || right.type == Type::numeric;
  const auto is_number = [](Type type) { return is_integer(type) || type == Type::numeric; };
  if (numeric && is_number(left.type) && is_number(right.type)) {
    if (op == "+" || op == "-")
      return result(Type::numeric,
                    arithmetic_sql(op, Type::numeric, in_millionths(left), in_millionths(right)), at, left,
                    right);
    if (op == "*" && left.type != right.type)
      return result(Type::numeric, arithmetic_sql(op, Type::numeric, left.sql, right.sql), at, left, right);
    throw RefusedError{fmt::format("numeric {} numeric", op), at};
  }
  no_operator(op, left, right, at);
}

Expression Binder::unary(const std::string& op, Expression value, int at) {
  if (op != "-" && op != "+") throw RefusedError{fmt::format("the operator {}", op), at};
  if (value.type == Type::unknown)
    throw FailedError{"42725", fmt::format("operator is not unique: {} unknown", op), at};
  const bool has_sign = is_integer(value.type) || value.type == Type::interval || value.type == Type::numeric;
  if (!has_sign || (op == "+" && value.type == Type::interval))
    throw FailedError{"42883", fmt::format("operator does not exist: {} {}", op, name_of(value.type)), at};
  const std::string sql = op == "+" ? value.sql : arithmetic_sql("-", value.type, "0", value.sql);
  return result(value.type, sql, at, value, Expression());
}

Expression Binder::operation(const TreeNode& node, Scope& scope) {
  expect_fields(node, "an operator", {"kind", "name", "lexpr", "rexpr", "location"}, place_);
  const int at = place_of(node, place_);
  const std::string& kind = node["kind"].text();
  if (node["name"].items().size() != 1) throw RefusedError{"operators with a schema's name", at};
  const std::string& op = node["name"].items().front().inside()["sval"].text();
  if (kind == "AEXPR_OP") {
    if (!node.has("lexpr")) return unary(op, expression(node["rexpr"], scope), at);
    Expression left = expression(node["lexpr"], scope);
    return binary(op, std::move(left), expression(node["rexpr"], scope), at);
  }
  if (kind == "AEXPR_DISTINCT" || kind == "AEXPR_NOT_DISTINCT") {
    Expression left = expression(node["lexpr"], scope);
    Expression equal = binary("=", std::move(left), expression(node["rexpr"], scope), at);
    // The comparison, with IS in place of =; its sides are typed now.
    left = expression(node["lexpr"], scope);
    Expression right = expression(node["rexpr"], scope);
    if (left.type == Type::unknown)
      left = typed(std::move(left), right.type == Type::unknown ? Type::text : right.type);
    if (right.type == Type::unknown) right = typed(std::move(right), left.type);
    if (left.type == Type::numeric || right.type == Type::numeric) {
      left.sql = in_millionths(left);
      right.sql = in_millionths(right);
    }
    equal.sql = fmt::format("({} {} {})", left.sql, kind == "AEXPR_DISTINCT" ? "IS NOT" : "IS", right.sql);
    return equal;
  }
  if (kind == "AEXPR_NULLIF") {
    Expression left = expression(node["lexpr"], scope);
    Expression equal = binary("=", left, expression(node["rexpr"], scope), at);
    left = expression(node["lexpr"], scope);
    if (left.type == Type::unknown) left = typed(std::move(left), Type::text);
    Expression value = result(
        left.type, fmt::format("(CASE WHEN {} THEN NULL ELSE {} END)", equal.sql, left.sql), at, equal, left);
    value.name = "nullif";
    value.strong = true;
    return value;
  }
  if (kind == "AEXPR_IN") {
    // Any of the equalities, or none of them.
    std::string sql;
    Expression all;
    for (const TreeNode& item : node["rexpr"]["List"]["items"].items()) {
      Expression left = expression(node["lexpr"], scope);
      const Expression one = binary(op, std::move(left), expression(item, scope), at);
      sql += (sql.empty() ? "" : op == "=" ? " OR " : " AND ") + one.sql;
      absorb(all, one);
    }
    return result(Type::boolean, "(" + sql + ")", at, all, Expression());
  }
  if (kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN") {
    const std::vector<TreeNode>& ends = node["rexpr"]["List"]["items"].items();
    const bool inside = kind == "AEXPR_BETWEEN";
    Expression value = expression(node["lexpr"], scope);
    const Expression low = binary(inside ? ">=" : "<", std::move(value), expression(ends.front(), scope), at);
    value = expression(node["lexpr"], scope);
    const Expression high = binary(inside ? "<=" : ">", std::move(value), expression(ends.back(), scope), at);
    return result(Type::boolean, fmt::format("({} {} {})", low.sql, inside ? "AND" : "OR", high.sql), at, low,
                  high);
  }
  if (kind == "AEXPR_OP_ANY" || kind == "AEXPR_OP_ALL")
    throw RefusedError{fmt::format("arrays: {} {}(…)", op, kind == "AEXPR_OP_ANY" ? "ANY" : "ALL"), at,
                       "write IN (…)"};
  if (kind == "AEXPR_LIKE" || kind == "AEXPR_ILIKE" || kind == "AEXPR_SIMILAR")
    throw RefusedError{"patterns: LIKE, ILIKE and SIMILAR TO", at};
  throw RefusedError{kind, at};
}

}  // namespace tenure::sql
