#include "lab/tune/poll_wait.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/check.h"
#include "core/base/int128.h"

namespace tenure::lab {
namespace {

constexpr std::int64_t kUnit = 1'000'000'000;  // probabilities are in billionths
constexpr std::int64_t kSteps = 128;           // in the longest gap
constexpr std::int64_t kGapsMax = 40;          // after so many a renewal process has forgotten how it began

using Masses = std::vector<std::int64_t>;  // of 0, 1, 2, … steps

// Evenly from `least` to `most`: many values, each shared out to its two neighbours on the lattice, which keeps the
// mean.
Masses even_gap(Duration least, Duration most, Duration step) {
  constexpr std::int64_t kValues = 1'200;
  Masses shares(kSteps + 2);
  for (std::int64_t i = 0; i < kValues; ++i) {
    const Duration value =
        least + Duration::nanos(mul_div_floor((most - least).ns(), 2 * i + 1, 2 * kValues));
    const auto at = static_cast<std::size_t>(value / step);
    const std::int64_t beyond = (value - step * (value / step)).ns();
    shares[at] += step.ns() - beyond;
    shares[at + 1] += beyond;
  }
  for (std::int64_t& share : shares) share = mul_div_floor(share, kUnit, step.ns() * kValues);
  return shares;
}

// At the middles of steps.
Masses stationary_residual(const Masses& gap) {
  Masses above(gap.size());
  std::int64_t left = std::accumulate(gap.begin(), gap.end(), std::int64_t{0});
  std::int64_t sum = 0;
  for (std::size_t x = 0; x < gap.size(); ++x) {
    left -= gap[x];
    above[x] = left;
    sum += left;
  }
  for (std::int64_t& mass : above) mass = mul_div_floor(mass, kUnit, sum);
  return above;
}

// From `at` to the first renewal at or after it, of a process that begins with one at 0.
Masses residual_at(const Masses& gap, std::size_t at) {
  Masses residual(gap.size());
  Masses renewals(at + 1);
  renewals[0] = kUnit;
  for (std::size_t t = 0; t < at; ++t)
    for (std::size_t k = 1; k < gap.size(); ++k) {
      const std::int64_t mass = mul_div_floor(renewals[t], gap[k], kUnit);
      if (t + k <= at)
        renewals[t + k] += mass;
      else
        residual[t + k - at] += mass;
    }
  residual[0] += renewals[at];
  return residual;
}

}  // namespace

Duration mean_poll_wait(Duration retry, Duration round_trip, Duration lease, std::int64_t candidates) {
  CHECK(retry > Duration{} && candidates > 0, "somebody polls");
  const Duration longest = retry * 22 / 10 + round_trip;
  const Duration step = longest / kSteps + Duration::nanos(1);
  const Masses gap = even_gap(retry + round_trip, longest, step);
  const std::int64_t wait = (lease + round_trip + step / 2) / step;
  const Masses first = stationary_residual(gap);
  const Masses second = residual_at(gap, static_cast<std::size_t>(std::min(wait, kGapsMax * kSteps)));
  std::vector<int128> sums(first.size() + second.size());
  int128 above = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t j = 0; j < second.size(); ++j) {
      sums[i + j] += int128{first[i]} * second[j];
      above += int128{first[i]} * second[j];
    }
  // E[min] is the sum over x of P(each is above x).
  const int128 all = above;
  int128 mean = kUnit / 2;  // half a step, for the middles
  for (const int128 mass : sums) {
    above -= mass;
    const auto one = static_cast<std::int64_t>(above * kUnit / all);
    std::int64_t each = kUnit;
    for (std::int64_t n = 0; n < candidates; ++n) each = mul_div_floor(each, one, kUnit);
    mean += each;
  }
  return Duration::nanos(static_cast<std::int64_t>(mean * step.ns() / kUnit));
}

}  // namespace tenure::lab
