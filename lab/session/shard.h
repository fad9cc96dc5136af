// One of several equal parts of a range of seeds, so that many machines can share it.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenure::lab {

struct Shard {
  std::uint64_t index = 1;  // from 1
  std::uint64_t count = 1;
  bool operator==(const Shard&) const = default;
};

// "3/16"; nullopt: it is none.
std::optional<Shard> parse_shard(std::string_view text);

// Consecutive numbers; how many there are of each part differs by at most one.
struct ShardRange {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};
// Of the `size` numbers from `first` on, those of this part.
ShardRange range_of(const Shard& shard, std::uint64_t first, std::uint64_t size);

}  // namespace tenure::lab
