// Values of statements as Postgres' protocol has them: parameters as texts, columns in its binary form.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "sim/stores/statements/requests.h"

struct pg_result;  // libpq's

namespace tenure::sql_postgres {

// A text that Postgres reads as a value of the type that the statement gives the parameter; nullopt: NULL.
std::optional<std::string> parameter_text(const statements::Value& value);

// The rows of a result that was asked for in binary form; or what keeps them from being values of a design.
std::variant<statements::SqlRows, std::string> rows_of(const pg_result* result);

}  // namespace tenure::sql_postgres
