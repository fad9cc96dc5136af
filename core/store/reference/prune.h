// Thread rule: a pure function.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/time.h"

namespace tenure::reference {

// Erases rows of a map: of those for which `ended(key, row)` says when they ended, at most `limit`, the earliest first,
// by key among equals. Returns how many.
template <class Rows, class Ended>
std::uint64_t prune_earliest(Rows& rows, std::uint64_t limit, const Ended& ended) {
  std::vector<std::pair<StoreTime, typename Rows::key_type>> old;
  for (const auto& [key, row] : rows)
    if (const std::optional<StoreTime> at = ended(key, row)) old.emplace_back(*at, key);
  std::sort(old.begin(), old.end());
  if (old.size() > limit) old.resize(static_cast<std::size_t>(limit));
  for (const auto& [at, key] : old) rows.erase(key);
  return old.size();
}

// The same of rows that ended by `before`; `at(row)` says when.
template <class Rows, class At>
std::uint64_t prune_before(Rows& rows, StoreTime before, std::uint64_t limit, const At& at) {
  return prune_earliest(rows, limit, [&](const auto&, const auto& row) {
    return at(row) <= before ? std::optional<StoreTime>(at(row)) : std::nullopt;
  });
}

}  // namespace tenure::reference
