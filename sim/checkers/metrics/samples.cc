#include "sim/checkers/metrics/samples.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace tenure::sim {

void Samples::add(Duration value) {
  state_.min = state_.count == 0 ? value : std::min(state_.min, value);
  state_.max = state_.count == 0 ? value : std::max(state_.max, value);
  state_.sum += value.ns();
  ++state_.count;
  if (state_.buckets.empty()) {
    state_.exact.push_back(value);
    if (state_.exact.size() > kExact) spill();
  } else {
    count_in_bucket(value, 1);
  }
}

void Samples::merge(const Samples& other) {
  if (other.state_.count == 0) return;
  if (other.state_.buckets.empty()) {
    const std::vector<Duration> values = other.state_.exact;  // `other` may be this
    for (const Duration value : values) add(value);
    return;
  }
  const std::vector<std::uint64_t> theirs = other.state_.buckets;
  if (state_.buckets.empty()) spill();
  state_.min = state_.count == 0 ? other.state_.min : std::min(state_.min, other.state_.min);
  state_.max = state_.count == 0 ? other.state_.max : std::max(state_.max, other.state_.max);
  state_.sum += other.state_.sum;
  state_.count += other.state_.count;
  for (std::size_t bucket = 0; bucket < theirs.size(); ++bucket) {
    if (theirs[bucket] > 0) count_in_bucket(top_of(bucket), theirs[bucket]);
  }
}

Duration Samples::mean() const {
  if (state_.count == 0) return Duration{};
  return Duration::nanos(static_cast<std::int64_t>(state_.sum / static_cast<int128>(state_.count)));
}

std::vector<Duration> Samples::values() const {
  if (state_.buckets.empty()) return state_.exact;
  std::vector<Duration> values;
  for (std::size_t bucket = 0; bucket < state_.buckets.size(); ++bucket)
    values.insert(values.end(), state_.buckets[bucket], std::clamp(top_of(bucket), state_.min, state_.max));
  return values;
}

Duration Samples::percentile(std::int64_t ppm) const {
  CHECK(0 <= ppm && ppm <= 1'000'000);
  if (state_.count == 0) return Duration{};
  const auto total = static_cast<std::int64_t>(state_.count);
  const auto rank =
      static_cast<std::uint64_t>(std::max<std::int64_t>(mul_div_ceil(total, ppm, 1'000'000), 1));
  if (state_.buckets.empty()) {
    std::vector<Duration> values = state_.exact;
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(values.begin(), place, values.end());
    return *place;
  }
  if (rank == 1) return state_.min;
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < state_.buckets.size(); ++bucket) {
    seen += state_.buckets[bucket];
    if (seen >= rank) return std::clamp(top_of(bucket), state_.min, state_.max);
  }
  return state_.max;
}

// Bucket 0 holds what is negative, then one bucket a nanosecond up to kSteps, then kSteps buckets an octave.
std::size_t Samples::bucket_of(Duration value) {
  if (value < Duration{}) return 0;
  const auto ns = static_cast<std::uint64_t>(value.ns());
  if (ns < kSteps) return static_cast<std::size_t>(ns) + 1;
  const auto octave = static_cast<std::size_t>(std::bit_width(ns)) - kFirstOctaveBits;
  const std::uint64_t step = (ns >> octave) - kSteps;
  return 1 + static_cast<std::size_t>(kSteps) * (octave + 1) + static_cast<std::size_t>(step);
}

// The largest value that the bucket takes.
Duration Samples::top_of(std::size_t bucket) {
  if (bucket == 0) return Duration::nanos(-1);
  const std::size_t place = bucket - 1;
  constexpr auto kWidth = static_cast<std::size_t>(kSteps);
  if (place < kWidth) return Duration::nanos(static_cast<std::int64_t>(place));
  const std::size_t octave = place / kWidth - 1;
  const uint128 next = static_cast<uint128>(kWidth + place % kWidth + 1) << octave;
  return Duration::nanos(tenure::detail::narrow(static_cast<int128>(next - 1)));
}

void Samples::spill() {
  state_.buckets.resize(1);  // no longer empty: from now on values are counted
  for (const Duration value : state_.exact) count_in_bucket(value, 1);
  state_.exact.clear();
  state_.exact.shrink_to_fit();
}

void Samples::count_in_bucket(Duration value, std::uint64_t n) {
  const std::size_t bucket = bucket_of(value);
  if (bucket >= state_.buckets.size()) state_.buckets.resize(bucket + 1);
  state_.buckets[bucket] += n;
}

}  // namespace tenure::sim
