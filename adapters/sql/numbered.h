// A statement whose parameters are $1, $2, …, for whoever sends it to a real Postgres; JDBC's `?` becomes that.
//
// Thread rule: a pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenure::sql {

// nullopt: it has both, and `problem` says where.
std::optional<std::string> numbered(std::string_view sql, std::string& problem);

}  // namespace tenure::sql
