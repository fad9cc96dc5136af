#include "lab/session/shard.h"

#include <charconv>

#include "core/base/int128.h"

namespace tenure::lab {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto index = number(text.substr(0, slash));
  const auto count = number(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count) return std::nullopt;
  return Shard{*index, *count};
}

ShardRange range_of(const Shard& shard, std::uint64_t first, std::uint64_t size) {
  const auto begin_of = [&](std::uint64_t index) {
    return static_cast<std::uint64_t>(uint128{size} * index / shard.count);
  };
  const std::uint64_t begin = begin_of(shard.index - 1);
  return {first + begin, begin_of(shard.index) - begin};
}

}  // namespace tenure::lab
