#include "format/syntax/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tenure::format {
namespace {

constexpr std::size_t kLongest = 64;  // names are short; anything longer is not a typing error
constexpr std::size_t kFew = 32;

// Letters and spaces as zones are compared by.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name)
    text += c == ' ' ? '_' : 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i holds the distances from the first i characters of a to every beginning of b.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string_view> closest(std::string_view name, std::span<const std::string_view> known) {
  if (name.size() > kLongest) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> known) {
  if (const auto best = closest(name, known)) return fmt::format("did you mean `{}`?", *best);
  if (known.empty() || known.size() > kFew) return {};
  std::string list;
  for (const std::string_view candidate : known) list += (list.empty() ? "" : ", ") + std::string(candidate);
  return (known.size() == 1 ? "it can only be " : "one of ") + list;
}

std::string zone_suggestion(std::string_view name, std::span<const std::string> known) {
  if (name.ends_with(" Time"))  // "W. Europe Standard Time"
    return "that is a name of Windows'; say one of IANA's, like `Europe/Berlin`: CLDR's windowsZones lists "
           "them";
  const std::string wanted = folded(name);
  for (const std::string& zone : known) {
    const std::string whole = folded(zone);
    if (whole == wanted || whole.substr(whole.rfind('/') + 1) == wanted)
      return fmt::format("did you mean `{}`?", zone);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  return suggestion(name, names);
}

}  // namespace tenure::format
