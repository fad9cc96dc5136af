// Types as they are written, and casts between them.
#include <fmt/format.h>

#include <algorithm>

#include "adapters/sql/binder.h"

namespace tenure::sql {
namespace {

struct TypeName {
  std::string_view name;
  Type type;
  bool serial;
};
constexpr TypeName kTypeNames[] = {
    {"bool", Type::boolean, false},      {"int2", Type::int2, false},
    {"int4", Type::int4, false},         {"int8", Type::int8, false},
    {"text", Type::text, false},         {"varchar", Type::text, false},
    {"uuid", Type::uuid, false},         {"timestamptz", Type::timestamptz, false},
    {"interval", Type::interval, false}, {"serial", Type::int4, true},
    {"serial4", Type::int4, true},       {"bigserial", Type::int8, true},
    {"serial8", Type::int8, true},       {"smallserial", Type::int2, true},
    {"serial2", Type::int2, true},
};

bool whole_number(Type type) { return type == Type::int2 || type == Type::int4 || type == Type::int8; }

}  // namespace

WrittenType read_type(const TreeNode& type_name, int at) {
  at = place_of(type_name, at);
  expect_fields(type_name, "a type", {"names", "typmods", "typemod", "location", "arrayBounds"}, at);
  const std::vector<TreeNode>& names = type_name["names"].items();
  const std::string& name = names.back().inside()["sval"].text();
  if (type_name.has("arrayBounds")) throw RefusedError{"arrays: " + name + "[]", at};
  if (name == "timestamp")
    throw RefusedError{"timestamp without time zone", at, "write timestamptz: a time that means one instant"};
  const auto* found = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                                   [&](const TypeName& known) { return known.name == name; });
  if (found == std::end(kTypeNames) ||
      (names.size() == 2 && names.front().inside()["sval"].text() != "pg_catalog"))
    throw RefusedError{"the type " + name, at};
  WrittenType type{{found->type, 0}, found->serial};
  const std::vector<TreeNode>& modifiers = type_name["typmods"].items();
  if (modifiers.empty()) return type;
  const std::int64_t length = modifiers.front().inside()["ival"]["ival"].integer();
  if (name != "varchar") throw RefusedError{fmt::format("{} with a precision or with fields", name), at};
  if (length < 1) throw FailedError{"22023", "length for type varchar must be at least 1", at};
  type.column.most_characters = static_cast<int>(length);
  return type;
}

// Postgres' table of casts, for the types here. Which are allowed without being written: between integers upwards; into
// a column, between integers and from anything to text.
Expression Binder::cast_to(Expression value, Type type, Cast cast) {
  const Type from = value.type;
  if (from == type) return value;
  if (from == Type::unknown) return typed(std::move(value), type);
  const auto as = [&](std::string sql) {
    value.sql = std::move(sql);
    value.type = type;
    value.literal.reset();
    value.parameter = 0;
    return value;
  };
  if (whole_number(from) && whole_number(type)) {
    if (from < type) return as(value.sql);
    if (cast != Cast::implicit) return as(fmt::format("pg_int({}, {})", static_cast<int>(type), value.sql));
  }
  if (whole_number(from) && type == Type::numeric) return as("pg_scale(" + value.sql + ")");
  if (whole_number(from) && type == Type::float8) return as(value.sql);
  if (from == Type::numeric && whole_number(type) && cast != Cast::implicit)
    return as(fmt::format("pg_int({}, pg_round('round', {}) / 1000000)", static_cast<int>(type), value.sql));
  if (type == Type::text && cast != Cast::implicit) {
    if (whole_number(from)) return as(fmt::format("CAST({} AS TEXT)", value.sql));
    if (from == Type::uuid) return as(value.sql);
    if (from == Type::boolean)
      return as(fmt::format("(CASE {} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)", value.sql));
    throw RefusedError{fmt::format("{} as text", name_of(from)), value.at};
  }
  if (cast == Cast::written) {
    if (from == Type::text) {
      if (type == Type::numeric || type == Type::float8) throw RefusedError{"text as a number", value.at};
      return as(fmt::format("pg_read({}, {})", static_cast<int>(type), value.sql));
    }
    if (from == Type::boolean && type == Type::int4) return as(value.sql);
    if (from == Type::int4 && type == Type::boolean) return as(fmt::format("({} <> 0)", value.sql));
  }
  throw FailedError{"42846", fmt::format("cannot cast type {} to {}", name_of(from), name_of(type)),
                    value.at};
}

Expression Binder::convert(Expression value, const ColumnType& to, Cast cast, const std::string& column) {
  const Type from = value.type;
  const int at = value.at;
  const bool constant = value.literal || value.parameter != 0;
  try {
    value = cast_to(std::move(value), to.type, cast);
  } catch (const FailedError& failed) {
    if (failed.sqlstate != "42846" || cast == Cast::written) throw;
    throw FailedError{"42804",
                      fmt::format("column \"{}\" is of type {} but expression is of type {}", column,
                                  name_of(to.type), name_of(from)),
                      at};
  }
  if (to.most_characters > 0 && cast != Cast::written) (constant ? fits_constants_ : fits_computed_) = true;
  if (to.most_characters > 0)
    value.sql =
        fmt::format("pg_varchar({}, {}, {})", to.most_characters, cast == Cast::written ? 1 : 0, value.sql);
  return value;
}

Expression Binder::cast(const TreeNode& node, Scope& scope) {
  expect_fields(node, "a cast", {"arg", "typeName", "location"}, place_);
  const int at = place_of(node, place_of(node["typeName"], place_));
  const WrittenType type = read_type(node["typeName"], at);
  if (type.serial) throw FailedError{"42704", "type \"serial\" does not exist", at};
  Expression value = expression(node["arg"], scope);
  if (value.at < 0) value.at = at;
  value = convert(std::move(value), type.column, Cast::written, "");
  if (!value.strong) value.name = node["typeName"]["names"].items().back().inside()["sval"].text();
  return value;
}

}  // namespace tenure::sql
