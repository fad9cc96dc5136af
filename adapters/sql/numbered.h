// A statement whose parameters are $1, $2, …, for whoever sends it to a real Postgres; JDBC's `?` becomes that.
//
// Thread rule: a pure function.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "adapters/sql/refusal.h"

namespace tenure::sql {

// A Refusal for a text that has both.
std::variant<std::string, Refusal> numbered(std::string_view sql);

}  // namespace tenure::sql
