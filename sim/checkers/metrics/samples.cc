#include "sim/checkers/metrics/samples.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace tenure::sim {

void Samples::add(Duration value) {
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  sum_ += value.ns();
  ++count_;
  if (buckets_.empty()) {
    exact_.push_back(value);
    if (exact_.size() > kExact) spill();
  } else {
    count_in_bucket(value, 1);
  }
}

void Samples::merge(const Samples& other) {
  if (other.count_ == 0) return;
  if (other.buckets_.empty()) {
    const std::vector<Duration> values = other.exact_;  // `other` may be this
    for (const Duration value : values) add(value);
    return;
  }
  const std::vector<std::uint64_t> theirs = other.buckets_;
  if (buckets_.empty()) spill();
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  sum_ += other.sum_;
  count_ += other.count_;
  for (std::size_t bucket = 0; bucket < theirs.size(); ++bucket) {
    if (theirs[bucket] > 0) count_in_bucket(top_of(bucket), theirs[bucket]);
  }
}

Duration Samples::mean() const {
  if (count_ == 0) return Duration{};
  return Duration::nanos(static_cast<std::int64_t>(sum_ / static_cast<int128>(count_)));
}

std::vector<Duration> Samples::values() const {
  if (buckets_.empty()) return exact_;
  std::vector<Duration> values;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
    values.insert(values.end(), buckets_[bucket], std::clamp(top_of(bucket), min_, max_));
  return values;
}

Duration Samples::percentile(std::int64_t ppm) const {
  CHECK(0 <= ppm && ppm <= 1'000'000);
  if (count_ == 0) return Duration{};
  const auto total = static_cast<std::int64_t>(count_);
  const auto rank =
      static_cast<std::uint64_t>(std::max<std::int64_t>(mul_div_ceil(total, ppm, 1'000'000), 1));
  if (buckets_.empty()) {
    std::vector<Duration> values = exact_;
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(values.begin(), place, values.end());
    return *place;
  }
  if (rank == 1) return min_;
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (seen >= rank) return std::clamp(top_of(bucket), min_, max_);
  }
  return max_;
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
  buckets_.resize(1);  // no longer empty: from now on values are counted
  for (const Duration value : exact_) count_in_bucket(value, 1);
  exact_.clear();
  exact_.shrink_to_fit();
}

void Samples::count_in_bucket(Duration value, std::uint64_t n) {
  const std::size_t bucket = bucket_of(value);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  buckets_[bucket] += n;
}

}  // namespace tenure::sim
