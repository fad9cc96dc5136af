// What statements take and give: values, their types, rows, and the errors of a statement.
//
// Thread rule: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/time.h"
#include "sim/stores/statements/requests.h"

namespace tenure::sql {

using statements::Null;
// int64_t: smallint, integer and bigint. string: text, varchar and uuid, in UTF-8. StoreTime: timestamptz, in whole
// microseconds. Duration: interval; a day has 24 hours.
using statements::Value;

enum class Type {
  unknown,  // a literal in quotes, NULL or $1 whose context has not decided; in no result
  boolean,
  int2,
  int4,
  int8,
  numeric,  // extract(epoch …) and what is made of it: millionths, kept exactly; in no result
  float8,   // a parameter or constant that multiplies an interval: whole numbers alone; in no result
  text,
  uuid,
  timestamptz,
  interval,
};

// As Postgres' messages have it: "timestamp with time zone".
std::string_view name_of(Type type);

// Why a statement failed. It changed nothing.
struct Error {
  // statement: Postgres fails with the same SQLSTATE.
  // engine: Postgres could do it and this engine cannot, for instance a time after 2262; `sqlstate` is 0A000.
  enum class Kind { statement, engine };
  Kind kind = Kind::statement;
  std::string sqlstate;  // five characters: 23505 unique_violation, 42702 ambiguous_column, …
  std::string message;
  int position = 0;  // in the statement, in characters from 1, as Postgres counts; 0: at no place
  bool operator==(const Error&) const = default;
};

using statements::SqlRows;

}  // namespace tenure::sql
