#include "lab/calibrate/kolmogorov_smirnov.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/int128.h"

namespace tenure::lab {
namespace {

constexpr std::int64_t kPpm = 1'000'000;

// ln(2 / significance) / 2, in millionths: the square of what the critical distance is a multiple of.
std::int64_t squared_factor_ppm(Significance significance) {
  switch (significance) {
    case Significance::five_percent: return 1'844'440;
    case Significance::one_percent: return 2'649'159;
    case Significance::tenth_of_a_percent: break;
  }
  return 3'800'451;
}

// Rounded up.
std::int64_t root(uint128 square) {
  uint128 low = 0;
  uint128 high = uint128{1} << 62;
  while (low < high) {
    const uint128 middle = (low + high) / 2;
    if (middle * middle < square)
      low = middle + 1;
    else
      high = middle;
  }
  return static_cast<std::int64_t>(low);
}

}  // namespace

SampleDistance distance_between(std::vector<std::int64_t> first, std::vector<std::int64_t> other) {
  CHECK(!first.empty() && !other.empty());
  std::ranges::sort(first);
  std::ranges::sort(other);
  const auto share = [](std::size_t count, const std::vector<std::int64_t>& all) {
    return static_cast<std::int64_t>(static_cast<uint128>(count) * kPpm / all.size());
  };
  SampleDistance farthest;
  uint128 largest = 0;
  for (std::size_t i = 0, j = 0; i < first.size() && j < other.size();) {
    const std::int64_t value = std::min(first[i], other[j]);
    while (i < first.size() && first[i] == value) ++i;
    while (j < other.size() && other[j] == value) ++j;
    // Both shares, times both sizes.
    const uint128 of_first = static_cast<uint128>(i) * other.size();
    const uint128 of_other = static_cast<uint128>(j) * first.size();
    const uint128 difference = of_first > of_other ? of_first - of_other : of_other - of_first;
    if (difference <= largest) continue;
    largest = difference;
    farthest = {.ppm = static_cast<std::int64_t>(difference * kPpm / (uint128{first.size()} * other.size())),
                .at = value,
                .first_share = share(i, first),
                .other_share = share(j, other)};
  }
  return farthest;
}

std::int64_t critical_distance_ppm(std::size_t first, std::size_t other, Significance significance) {
  CHECK(first > 0 && other > 0 && first <= 1'000'000'000 && other <= 1'000'000'000);
  const uint128 sum = uint128{first} + other;
  const uint128 product = uint128{first} * other;
  const auto factor = static_cast<uint128>(squared_factor_ppm(significance));
  return root((factor * kPpm * sum + product - 1) / product);
}

}  // namespace tenure::lab
