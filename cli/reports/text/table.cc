#include "cli/reports/text/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenure::cli {

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i < to_the_left_ ? fmt::format("  {:<{}}", row[i], widths[i])
                               : fmt::format("  {:>{}}", row[i], widths[i]);
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

}  // namespace tenure::cli
