// What the API answers, as text for people.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

namespace tenure::cli {

// A time as the server prints it, without the fraction that it mostly has not.
std::string short_time(std::string text);

using ListRow = std::vector<std::string>;

// Columns as wide as their widest cell.
std::string table_of(const std::vector<ListRow>& rows);

}  // namespace tenure::cli
