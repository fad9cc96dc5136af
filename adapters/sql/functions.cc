// The functions that are admitted.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "adapters/sql/binder.h"
#include "adapters/sql/literals.h"

namespace tenure::sql {
namespace {

constexpr std::array<std::string_view, 5> kNow = {"now", "transaction_timestamp", "statement_timestamp",
                                                  "clock_timestamp", "current_timestamp"};
constexpr std::array<std::string_view, 7> kAggregates = {"count",    "sum",     "min",  "max",
                                                         "bool_and", "bool_or", "every"};
template <std::size_t n>
bool among(const std::array<std::string_view, n>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Functions of whole and plain arguments: SQLite's, or ours where SQLite's would differ.
struct Plain {
  std::string_view name;
  Type argument;
  Type result;  // unknown: the argument's
  int arguments;
  std::string_view sql;
};
constexpr Plain kPlain[] = {
    {"lower", Type::text, Type::text, 1, "lower({})"},
    {"upper", Type::text, Type::text, 1, "upper({})"},
    {"length", Type::text, Type::int4, 1, "length({})"},
    {"char_length", Type::text, Type::int4, 1, "length({})"},
    {"character_length", Type::text, Type::int4, 1, "length({})"},
};

// What asks for something that this engine cannot have, by name.
void refuse_known(const std::string& name, int at) {
  if (name.starts_with("pg_advisory") || name.starts_with("pg_try_advisory"))
    throw RefusedError{"advisory locks: " + name, at, std::string(kOnPostgres)};
  if (name == "random" || name == "gen_random_uuid" || name.starts_with("uuid_generate") || name == "setseed")
    throw RefusedError{"random values: " + name, at, "hand them in as parameters"};
  if (name == "timeofday") throw RefusedError{"times as text: " + name, at};
  if (name == "nextval" || name == "currval" || name == "lastval" || name == "setval")
    throw RefusedError{"sequences by name: " + name, at, "a serial column counts by itself"};
  if (name == "pg_sleep" || name == "pg_notify" || name.starts_with("pg_"))
    throw RefusedError{"functions of the server: " + name, at};
  if (name == "date_part")
    throw RefusedError{"date_part, which gives a fraction", at, "write extract(epoch FROM …)::bigint"};
  if (name == "timezone") throw RefusedError{"AT TIME ZONE", at};
  if (name.starts_with("to_") || name == "age") throw RefusedError{"times as text: " + name, at};
  if (name.starts_with("regexp")) throw RefusedError{"regular expressions: " + name, at};
}

Expression instant(int at, std::string name) {
  Expression value;
  value.type = Type::timestamptz;
  value.sql = "?1";
  value.at = at;
  value.name = std::move(name);
  value.strong = true;
  return value;
}

[[noreturn]] void no_function(const std::string& name, const std::vector<Expression>& arguments, int at) {
  std::string types;
  for (const Expression& argument : arguments)
    types += (types.empty() ? "" : ", ") + std::string(name_of(argument.type));
  throw FailedError{"42883", fmt::format("function {}({}) does not exist", name, types), at};
}

}  // namespace

// CURRENT_TIMESTAMP and its kin, which are no functions to the parser.
Expression Binder::current_time(const TreeNode& node) {
  const int at = place_of(node, place_);
  const std::string& op = node["op"].text();
  if (op == "SVFOP_CURRENT_TIMESTAMP") return instant(at, "current_timestamp");
  if (op == "SVFOP_CURRENT_TIMESTAMP_N") throw RefusedError{"CURRENT_TIMESTAMP with a precision", at};
  if (op == "SVFOP_LOCALTIMESTAMP" || op == "SVFOP_LOCALTIMESTAMP_N")
    throw RefusedError{"LOCALTIMESTAMP: timestamp without time zone", at, "write now()"};
  if (op.starts_with("SVFOP_CURRENT_DATE") || op.find("TIME") != std::string::npos)
    throw RefusedError{"dates and times of day", at, "write now()"};
  throw RefusedError{"who and where: " + op.substr(op.find('_') + 1), at};
}

Expression Binder::call(const TreeNode& node, Scope& scope) {
  expect_fields(node, "a function call",
                {"funcname", "args", "agg_filter", "agg_star", "agg_distinct", "funcformat", "location"},
                place_);
  const int at = place_of(node, place_);
  const std::vector<TreeNode>& names = node["funcname"].items();
  const std::string& name = names.back().inside()["sval"].text();
  if (names.size() > 1 && names.front().inside()["sval"].text() != "pg_catalog")
    throw RefusedError{"functions with a schema's name: " + name, at};
  if (name == "extract") return extract(node, scope);
  if (name == "make_interval") return make_interval(node, scope);
  if (among(kAggregates, name)) return aggregate(node, name, scope);
  if (node.has("agg_filter") || node.has("agg_star") || node.has("agg_distinct"))
    throw RefusedError{"the aggregate " + name, at};
  std::vector<Expression> arguments;
  for (const TreeNode& argument : node["args"].items()) {
    if (argument.kind() == "NamedArgExpr") throw RefusedError{"named arguments of " + name, at};
    arguments.push_back(expression(argument, scope));
  }
  if (among(kNow, name)) {
    if (!arguments.empty()) no_function(name, arguments, at);
    return instant(at, name);
  }
  Expression value;
  value.at = at;
  value.name = name;
  value.strong = true;
  const auto* plain =
      std::find_if(std::begin(kPlain), std::end(kPlain), [&](const Plain& p) { return p.name == name; });
  const auto finish_with = [&](Type type, std::string sql) {
    value.type = type;
    value.sql = std::move(sql);
    for (const Expression& argument : arguments) absorb(value, argument);
    return value;
  };
  if (plain != std::end(kPlain)) {
    if (arguments.size() != 1) no_function(name, arguments, at);
    if (arguments.front().type != plain->argument && arguments.front().type != Type::unknown)
      no_function(name, arguments, at);
    arguments.front() = cast_to(std::move(arguments.front()), plain->argument, Cast::implicit);
    return finish_with(plain->result, fmt::format(fmt::runtime(plain->sql), arguments.front().sql));
  }
  if ((name == "abs" || name == "mod") && arguments.size() == (name == "abs" ? 1U : 2U)) {
    if (name == "mod") {
      Expression modulus = binary("%", arguments.front(), arguments.back(), at);
      modulus.name = name;
      modulus.strong = true;
      return modulus;
    }
    const Expression negated = unary("-", arguments.front(), at);
    if (negated.type == Type::interval) no_function(name, arguments, at);
    const std::string& x = arguments.front().sql;
    return finish_with(negated.type,
                       fmt::format("(CASE WHEN {} < 0 THEN {} ELSE {} END)", x, negated.sql, x));
  }
  const bool rounds =
      name == "floor" || name == "ceil" || name == "ceiling" || name == "round" || name == "trunc";
  if (rounds && arguments.size() == 1 && arguments.front().type == Type::numeric)
    return finish_with(Type::numeric, fmt::format("pg_round('{}', {})", name == "ceiling" ? "ceil" : name,
                                                  arguments.front().sql));
  if (name == "date_trunc" && arguments.size() == 2 && arguments.front().literal) {
    if (arguments.back().type == Type::unknown)
      arguments.back() = typed(std::move(arguments.back()), Type::timestamptz);
    if (arguments.back().type != Type::timestamptz)
      throw RefusedError{"date_trunc of other than timestamptz", at};
    const std::string& unit = *arguments.front().literal;
    const std::int64_t seconds = unit == "second"   ? 1
                                 : unit == "minute" ? 60
                                 : unit == "hour"   ? 3'600
                                 : unit == "day"    ? 86'400
                                                    : 0;
    if (seconds == 0) throw RefusedError{"date_trunc by other than 'second', 'minute', 'hour' and 'day'", at};
    return finish_with(Type::timestamptz,
                       fmt::format("pg_floor({}, {})", arguments.back().sql, seconds * kMicrosPerSecond));
  }
  if (name == "to_timestamp" && arguments.size() == 1) {
    Expression seconds = arguments.front();
    if (seconds.type == Type::unknown) seconds = typed(std::move(seconds), Type::float8);
    if (seconds.type == Type::numeric)
      return finish_with(Type::timestamptz, fmt::format("pg_instant({})", seconds.sql));
    if (seconds.type > Type::float8 || seconds.type == Type::boolean) no_function(name, arguments, at);
    return finish_with(Type::timestamptz, fmt::format("pg_instant(pg_scale({}))", seconds.sql));
  }
  refuse_known(name, at);
  throw RefusedError{"the function " + name, at};
}

Expression Binder::aggregate(const TreeNode& node, const std::string& name, Scope& scope) {
  const int at = place_of(node, place_);
  if (!scope.aggregates)
    throw FailedError{"42803", fmt::format("aggregate functions are not allowed in {}", scope.clause), at};
  Expression value;
  value.at = at;
  value.name = name;
  value.strong = true;
  const std::string distinct = node["agg_distinct"].flag() ? "DISTINCT " : "";
  std::vector<Expression> arguments;
  for (const TreeNode& argument : node["args"].items()) arguments.push_back(expression(argument, scope));
  for (const Expression& argument : arguments) {
    if (argument.aggregate)
      throw FailedError{"42803", "aggregate function calls cannot be nested", argument.at};
    absorb(value, argument);
  }
  if (node["agg_star"].flag() && name == "count") {
    value.type = Type::int8;
    value.sql = "count(*)";
  } else {
    if (arguments.size() != 1) no_function(name, arguments, at);
    Expression argument = std::move(arguments.front());
    const Type type = argument.type;
    const bool whole = type == Type::int2 || type == Type::int4 || type == Type::int8;
    const auto make = [&](Type result, std::string_view function) {
      value.type = result;
      value.sql = fmt::format("{}({}{})", function, distinct, argument.sql);
    };
    if (name == "count") {
      if (type == Type::unknown) argument = typed(std::move(argument), Type::text);
      make(Type::int8, "count");
    } else if (name == "bool_and" || name == "every" || name == "bool_or") {
      if (type == Type::unknown) argument = typed(std::move(argument), Type::boolean);
      if (argument.type != Type::boolean) no_function(name, {argument}, at);
      make(Type::boolean, name == "bool_or" ? "max" : "min");
    } else if (name == "sum" && (whole || type == Type::interval || type == Type::numeric)) {
      // Of bigint it is a numeric, which has no end; SQLite's fails at bigint's.
      make(type == Type::int8 ? Type::numeric : whole ? Type::int8 : type, "sum");
      if (type == Type::int8) value.sql = fmt::format("pg_scale({})", value.sql);
    } else if ((name == "min" || name == "max") && type != Type::boolean && type != Type::uuid) {
      if (type == Type::unknown) argument = typed(std::move(argument), Type::text);
      make(argument.type, name);
    } else {
      no_function(name, {argument}, at);
    }
  }
  if (node.has("agg_filter")) {
    const Expression filter = to_condition(expression(node["agg_filter"], scope), "FILTER");
    if (filter.aggregate) throw FailedError{"42803", "aggregate functions are not allowed in FILTER", at};
    absorb(value, filter);
    const bool scaled = value.sql.starts_with("pg_scale(");
    const std::string inner = scaled ? value.sql.substr(9, value.sql.size() - 10) : value.sql;
    const std::string filtered = fmt::format("{} FILTER (WHERE {})", inner, filter.sql);
    value.sql = scaled ? fmt::format("pg_scale({})", filtered) : filtered;
  }
  // An aggregate of columns of an outer query alone belongs to that one.
  const auto here = [&](const BareColumn& column) { return column.scope == &scope; };
  if (!value.bare.empty() && std::none_of(value.bare.begin(), value.bare.end(), here))
    throw RefusedError{"an aggregate that belongs to an outer query", at};
  value.bare.erase(std::remove_if(value.bare.begin(), value.bare.end(), here), value.bare.end());
  value.aggregate = true;
  return value;
}

Expression Binder::extract(const TreeNode& node, Scope& scope) {
  const int at = place_of(node, place_);
  const std::vector<TreeNode>& arguments = node["args"].items();
  if (arguments.size() != 2) throw RefusedError{"extract in this form", at};
  const std::string& field = arguments.front()["A_Const"]["sval"]["sval"].text();
  if (field != "epoch")
    throw RefusedError{fmt::format("extract({} FROM …)", field), at, "extract(epoch FROM …) is admitted"};
  Expression value = expression(arguments.back(), scope);
  if (value.type == Type::unknown)
    throw RefusedError{"extract(epoch FROM …) of an unknown type", at, "write its type: $1::timestamptz"};
  if (value.type != Type::timestamptz && value.type != Type::interval)
    no_function("pg_catalog.extract", {value}, at);
  value.type = Type::numeric;  // microseconds are millionths of a second
  value.at = at;
  value.name = "extract";
  value.strong = true;
  return value;
}

Expression Binder::make_interval(const TreeNode& node, Scope& scope) {
  struct Part {
    std::string_view name;
    std::int64_t micros;
  };
  constexpr Part kParts[] = {{"years", 0},
                             {"months", 0},
                             {"weeks", 7 * 86'400 * kMicrosPerSecond},
                             {"days", 86'400 * kMicrosPerSecond},
                             {"hours", 3'600 * kMicrosPerSecond},
                             {"mins", 60 * kMicrosPerSecond},
                             {"secs", kMicrosPerSecond}};
  const int at = place_of(node, place_);
  Expression value;
  value.type = Type::interval;
  value.sql = "0";
  std::size_t place = 0;
  for (const TreeNode& argument : node["args"].items()) {
    const bool named = argument.kind() == "NamedArgExpr";
    const std::string& name = argument.inside()["name"].text();
    const auto* part = named ? std::find_if(std::begin(kParts), std::end(kParts),
                                            [&](const Part& p) { return p.name == name; })
                             : std::begin(kParts) + place++;
    if (part >= std::end(kParts)) throw FailedError{"42883", "function make_interval does not exist", at};
    Expression number = expression(named ? argument.inside()["arg"] : argument, scope);
    if (number.type == Type::unknown)
      number = typed(std::move(number), part->name == "secs" ? Type::float8 : Type::int4);
    if (part->micros == 0) {
      if (number.sql == "0") continue;
      throw RefusedError{"years and months of make_interval", at, "they have no fixed length: write days"};
    }
    const bool fits = number.type == Type::float8 || number.type == Type::int2 || number.type == Type::int4 ||
                      (number.type == Type::int8 && part->name == "secs");
    if (!fits) throw FailedError{"42883", "function make_interval does not exist", at};
    const int interval = static_cast<int>(Type::interval);
    value.sql = fmt::format("pg_arith('+', {}, {}, pg_arith('*', {}, {}, {}))", interval, value.sql, interval,
                            part->micros, number.sql);
    absorb(value, number);
  }
  value.at = at;
  value.name = "make_interval";
  value.strong = true;
  return value;
}

}  // namespace tenure::sql
