// What a statement leaves open, so that it can do otherwise on a server than here, and from run to run there.
//
// Thread rule: a pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenure::sql {

// For people; each once. None for a text that is no SQL.
std::vector<std::string> warnings_of(std::string_view sql);

}  // namespace tenure::sql
