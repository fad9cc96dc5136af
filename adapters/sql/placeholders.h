// JDBC's placeholders: `?` becomes $1, $2, …, outside of strings, quoted names and comments; `??` becomes `?`.
//
// Thread rule: pure functions, plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenure::sql {

struct Placed {
  std::string sql;  // for Postgres' parser
  // Where each byte of `sql` stood in the text that was handed in; one more for the end.
  std::vector<int> origin;
};

// Throws RefusedError for a text that has both `?` and $1.
Placed number_placeholders(std::string_view sql);

}  // namespace tenure::sql
