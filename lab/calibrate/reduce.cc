#include "lab/calibrate/reduce.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/int128.h"
#include "format/schema/quantile_keys.h"

namespace tenure::lab {
namespace {

sim::Quantiles table(std::vector<sim::Quantiles::Point> points) {
  if (points.front().value == points.back().value) return sim::Quantiles::constant(points.front().value);
  // A point between two of its own value says nothing.
  std::vector<sim::Quantiles::Point> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool inside = i > 0 && i + 1 < points.size();
    if (!inside || kept.back().value != points[i].value || points[i + 1].value != points[i].value)
      kept.push_back(points[i]);
  }
  return sim::Quantiles::table(std::move(kept));
}

}  // namespace

sim::Quantiles reduce_samples(std::vector<Duration> samples) {
  CHECK(!samples.empty(), "nothing has no quantiles");
  std::sort(samples.begin(), samples.end());
  const auto count = static_cast<std::int64_t>(samples.size());
  std::vector<sim::Quantiles::Point> points;
  for (const format::QuantileColumn& column : format::kQuantileColumns) {
    const std::int64_t rank = static_cast<std::int64_t>(
        (int128{count} * column.at + sim::Quantiles::kOne - 1) / sim::Quantiles::kOne);
    const std::int64_t place = std::max<std::int64_t>(rank, 1) - 1;
    points.push_back({column.at, samples[static_cast<std::size_t>(place)]});
  }
  return table(std::move(points));
}

sim::Quantiles reduce_buckets(const std::vector<Bucket>& buckets) {
  std::int64_t total = 0;
  for (const Bucket& bucket : buckets) total += bucket.count;
  CHECK(total > 0, "nothing has no quantiles");
  std::vector<sim::Quantiles::Point> points;
  for (const format::QuantileColumn& column : format::kQuantileColumns) {
    const int128 rank = int128{total} * column.at;  // times kOne
    Duration lower;
    std::int64_t below = 0;
    for (const Bucket& bucket : buckets) {
      const int128 inside = rank - int128{below} * sim::Quantiles::kOne;
      if (bucket.count > 0 && inside <= int128{bucket.count} * sim::Quantiles::kOne) {
        const int128 step =
            int128{(bucket.upper - lower).ns()} * inside / bucket.count / sim::Quantiles::kOne;
        const Duration least = std::min(Duration::nanos(1), bucket.upper);  // it took some time
        points.push_back(
            {column.at, std::max(least, lower + Duration::nanos(static_cast<std::int64_t>(step)))});
        break;
      }
      below += bucket.count;
      lower = bucket.upper;
    }
  }
  return table(std::move(points));
}

}  // namespace tenure::lab
