#include "cli/client/answer_text.h"

#include <algorithm>
#include <string_view>

#include "format/syntax/diagnostic.h"

namespace tenure::cli {

std::string short_time(std::string text) {
  constexpr std::string_view kNone = ".000000Z";
  if (text.ends_with(kNone)) text.replace(text.size() - kNone.size(), kNone.size(), "Z");
  return text;
}

std::string table_of(const std::vector<ListRow>& rows) {
  std::vector<std::size_t> widths;
  for (const ListRow& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], format::character_count(row[i]));
    }
  std::string text;
  for (const ListRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] + 2 - format::character_count(row[i]), ' ');
    }
    text += "\n";
  }
  return text;
}

}  // namespace tenure::cli
