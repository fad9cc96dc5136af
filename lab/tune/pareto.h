// Finds the points worth having: those that no other point beats everywhere.
//
// Smaller is better in every coordinate. Points have the same number of coordinates.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenure::lab {

using Point = std::vector<std::int64_t>;

// `a` is nowhere worse than `b`, and somewhere better.
bool dominates(const Point& a, const Point& b);

// The places of the points that none dominates, in order, including all of several equal points.
std::vector<std::size_t> pareto_set(const std::vector<Point>& points);

// By layers: 0 for the Pareto set, 1 for the one without it, and so on.
std::vector<std::size_t> layers_of(const std::vector<Point>& points);

// How far each point is from the best that any has in each coordinate, squared; each coordinate scaled to what lies
// between the best and the worst of the Pareto set. In millionths, which no further point exceeds by much: what is
// outside counts as twice the worst.
std::vector<std::int64_t> distances(const std::vector<Point>& points);

}  // namespace tenure::lab
