#include "adapters/design/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tenure::design {
namespace {

// How many letters are to be changed, put in or left out (Levenshtein 1966).
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[other.size()];
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string_view> known) {
  constexpr std::size_t kNear = 3;
  constexpr std::size_t kLongest = 60;  // a name that is longer is none of ours
  const std::string_view* found = nullptr;
  std::size_t least = kNear;
  for (const std::string_view& each : known) {
    const std::size_t away = name.size() <= kLongest ? distance(name, each) : kNear;
    if (away >= least || away >= each.size()) continue;
    least = away;
    found = &each;
  }
  if (found != nullptr) return fmt::format("did you mean `{}`?", *found);
  return known.empty() ? "it has none" : fmt::format("there is {}", fmt::join(known, ", "));
}

}  // namespace tenure::design
