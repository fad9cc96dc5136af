#include "sim/models/quantiles.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/int128.h"

namespace tenure::sim {

Quantiles Quantiles::constant(Duration value) { return table({{0, value}, {kOne, value}}); }

Quantiles Quantiles::table(std::vector<Point> points) {
  CHECK(points.size() >= 2 && points.front().at == 0 && points.back().at == kOne);
  for (std::size_t i = 1; i < points.size(); ++i)
    CHECK(points[i - 1].at < points[i].at && points[i - 1].value <= points[i].value);
  Quantiles result;
  result.points_ = std::move(points);
  return result;
}

Duration Quantiles::mean() const {
  int128 twice = 0;  // the area below the lines, in units of 1/kOne
  for (std::size_t i = 1; i < points_.size(); ++i)
    twice +=
        (int128{points_[i - 1].value.ns()} + points_[i].value.ns()) * (points_[i].at - points_[i - 1].at);
  return Duration::nanos(static_cast<std::int64_t>(twice / (2 * kOne)));
}

Duration Quantiles::draw(KeyedRng rng) const {
  if (is_constant()) return min();
  return at(static_cast<std::int64_t>(rng.below(kOne + 1)));
}

Duration Quantiles::at(std::int64_t quantile) const {
  CHECK(0 <= quantile && quantile <= kOne);
  auto high =
      std::find_if(points_.begin() + 1, points_.end() - 1, [&](const Point& p) { return quantile <= p.at; });
  const Point& above = *high;
  const Point& below = *(high - 1);
  const std::int64_t step =
      mul_div_floor((above.value - below.value).ns(), quantile - below.at, above.at - below.at);
  return below.value + Duration::nanos(step);
}

}  // namespace tenure::sim
