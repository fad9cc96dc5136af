#include "lab/tune/pareto.h"

#include <algorithm>

#include "core/base/int128.h"

namespace tenure::lab {

bool dominates(const Point& a, const Point& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

std::vector<std::size_t> pareto_set(const std::vector<Point>& points) {
  std::vector<std::size_t> set;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (std::none_of(points.begin(), points.end(), [&](const Point& p) { return dominates(p, points[i]); }))
      set.push_back(i);
  return set;
}

std::vector<std::size_t> layers_of(const std::vector<Point>& points) {
  std::vector<std::size_t> layers(points.size());
  std::vector<std::size_t> left(points.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  for (std::size_t layer = 0; !left.empty(); ++layer) {
    std::vector<Point> rest;
    for (const std::size_t i : left) rest.push_back(points[i]);
    const std::vector<std::size_t> first = pareto_set(rest);
    for (const std::size_t place : first) layers[left[place]] = layer;
    for (auto place = first.rbegin(); place != first.rend(); ++place)
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(*place));
  }
  return layers;
}

std::vector<std::int64_t> distances(const std::vector<Point>& points) {
  constexpr std::int64_t kUnit = 1'000;  // of a coordinate; squares are in millionths
  std::vector<std::int64_t> far(points.size());
  if (points.empty()) return far;
  const std::vector<std::size_t> set = pareto_set(points);
  for (std::size_t k = 0; k < points.front().size(); ++k) {
    std::int64_t best = INT64_MAX;
    std::int64_t worst = INT64_MIN;
    for (const std::size_t i : set) {
      best = std::min(best, points[i][k]);
      worst = std::max(worst, points[i][k]);
    }
    if (worst == best) continue;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::int64_t off = std::min(points[i][k] - best, 2 * (worst - best));
      const std::int64_t scaled = mul_div_floor(off, kUnit, worst - best);
      far[i] += scaled * scaled;
    }
  }
  return far;
}

}  // namespace tenure::lab
