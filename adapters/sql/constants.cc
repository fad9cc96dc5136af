// Constants and parameters, and how those without a type get one.
#include <fmt/format.h>

#include <charconv>

#include "adapters/sql/binder.h"
#include "adapters/sql/literals.h"

namespace tenure::sql {
namespace {

constexpr int kMostParameters = 1'000;

std::string number_sql(std::int64_t value) {
  return value < 0 ? fmt::format("({})", value) : std::to_string(value);
}

// The printed tree leaves out what is not above zero: 0 and -5 look the same there. So the number is read from the
// text.
std::int64_t zero_or_negative(std::string_view text, int at) {
  if (at < 0 || static_cast<std::size_t>(at) >= text.size()) return 0;
  std::string_view rest = text.substr(static_cast<std::size_t>(at));
  if (rest.front() != '-') return 0;
  rest.remove_prefix(1);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n\f\v"), rest.size()));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || end == rest.data())
    throw RefusedError{"a comment between - and its number", at, "write the number behind the -"};
  return -value;
}

// A constant of this type, as Postgres' input function reads it.
std::string constant_sql(const std::string& literal, Type type) {
  switch (type) {
    case Type::boolean: return read_boolean(literal) ? "1" : "0";
    case Type::int2:
    case Type::int4:
    case Type::int8: return number_sql(read_integer(literal, type));
    case Type::timestamptz: return number_sql(read_timestamptz(literal));
    case Type::interval: return number_sql(read_interval(literal));
    case Type::uuid: return quoted(read_uuid(literal));
    case Type::text: return quoted(literal);
    case Type::float8:
    case Type::numeric:
      try {
        const std::int64_t whole = read_integer(literal, Type::int8);
        return type == Type::float8 ? number_sql(whole) : fmt::format("pg_scale({})", number_sql(whole));
      } catch (const FailedError&) {
        throw RefusedError{"numbers with a fraction: '" + literal + "'"};
      }
    case Type::unknown: break;
  }
  return quoted(literal);
}

}  // namespace

Expression Binder::constant(const TreeNode& node) {
  expect_fields(node, "a constant", {"ival", "fval", "sval", "boolval", "isnull", "location"}, place_);
  Expression value;
  value.at = place_of(node, place_);
  if (node["isnull"].flag()) {
    value.sql = "NULL";
  } else if (node.has("sval")) {
    value.literal = node["sval"]["sval"].text();
    value.sql = quoted(*value.literal);
  } else if (node.has("boolval")) {
    value.type = Type::boolean;
    value.sql = node["boolval"]["boolval"].flag() ? "1" : "0";
  } else if (node.has("ival")) {
    value.type = Type::int4;
    const std::int64_t above_zero = node["ival"]["ival"].integer();
    value.sql = number_sql(above_zero > 0 ? above_zero : zero_or_negative(text_, value.at));
  } else {
    const std::string& digits = node["fval"]["fval"].text();
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    if (error != std::errc() || end != digits.data() + digits.size())
      throw RefusedError{"numbers with a fraction, or beyond bigint: " + digits, value.at};
    value.type = whole == static_cast<std::int32_t>(whole) ? Type::int4 : Type::int8;
    value.sql = number_sql(whole);
  }
  return value;
}

Expression Binder::parameter(const TreeNode& node) {
  const int at = place_of(node, place_);
  const std::int64_t number = node["number"].integer();
  if (number < 1) throw FailedError{"42P02", fmt::format("there is no parameter ${}", number), at};
  if (number > kMostParameters)
    throw RefusedError{fmt::format("more than {} parameters", kMostParameters), at};
  const auto count = static_cast<std::size_t>(number);
  if (parameters_.size() < count) parameters_.resize(count, Type::unknown);
  Expression value;
  value.at = at;
  value.parameter = static_cast<int>(number);
  value.type = parameters_[count - 1];
  value.sql = "?" + std::to_string(number + 1);
  return value;
}

// The unknown becomes one of the type; the parameter has it from now on.
Expression Binder::typed(Expression unknown, Type type) {
  if (unknown.parameter != 0) {
    Type& known = parameters_[static_cast<std::size_t>(unknown.parameter) - 1];
    if (known != Type::unknown && known != type)
      throw FailedError{"42P08",
                        fmt::format("inconsistent types deduced for parameter ${}", unknown.parameter),
                        unknown.at};
    known = type;
  } else if (unknown.literal) {
    try {
      unknown.sql = constant_sql(*unknown.literal, type);
    } catch (FailedError& failed) {
      failed.at = unknown.at;
      throw;
    } catch (RefusedError& refused) {
      refused.at = unknown.at;
      throw;
    }
    unknown.literal.reset();
  }
  unknown.type = type;
  return unknown;
}

}  // namespace tenure::sql
