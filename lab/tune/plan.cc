#include "lab/tune/plan.h"

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "core/base/int128.h"
#include "format/syntax/tune_values.h"

namespace tenure::lab {
namespace {

// The largest of 1, 2 and 5 times a power of ten that is at most a hundredth of the width.
std::int64_t quantum_of(const format::TuneSpan& span) {
  const std::int64_t most = std::max<std::int64_t>((span.high - span.low) / 100, 1);
  std::int64_t power = 1;
  while (power <= most / 10) power *= 10;
  for (const std::int64_t factor : {5, 2})
    if (power <= most / factor) return power * factor;
  return power;
}

std::int64_t rounded(std::int64_t value, const format::TuneSpan& span) {
  if (value <= span.low) return span.low;
  if (value >= span.high) return span.high;
  const std::int64_t quantum = quantum_of(span);
  return std::clamp((value + quantum / 2) / quantum * quantum, span.low, span.high);
}

std::vector<std::int64_t> values_in_grid(const format::TuneParameter& parameter, std::int64_t steps) {
  if (!parameter.is_span()) return parameter.values;
  const format::TuneSpan& span = parameter.span;
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < steps; ++i) {
    const std::int64_t value = rounded(span.low + mul_div_floor(span.high - span.low, i, steps - 1), span);
    if (values.empty() || values.back() != value) values.push_back(value);
  }
  return values;
}

std::optional<std::vector<TunePoint>> grid(const format::TuneSetting& tune) {
  std::vector<TunePoint> points = {{}};
  for (const format::TuneParameter& parameter : tune.parameters) {
    const std::vector<std::int64_t> values = values_in_grid(parameter, tune.steps);
    if (points.size() > kMostSettings / values.size()) return std::nullopt;
    std::vector<TunePoint> longer;
    for (const TunePoint& point : points)
      for (const std::int64_t value : values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  return points;
}

std::int64_t prime(std::size_t index) {
  std::int64_t candidate = 2;
  for (std::size_t found = 0;; ++candidate) {
    bool is_prime = true;
    for (std::int64_t i = 2; i * i <= candidate; ++i) is_prime = is_prime && candidate % i != 0;
    if (is_prime && found++ == index) return candidate;
  }
}

// The digits of `index` behind the point, in the other order: numerator / denominator, below one.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};
Fraction radical_inverse(std::int64_t index, std::int64_t base) {
  Fraction fraction;
  for (; index > 0; index /= base) {
    fraction.numerator = fraction.numerator * base + index % base;
    fraction.denominator *= base;
  }
  return fraction;
}

std::int64_t value_at(const format::TuneParameter& parameter, const Fraction& at) {
  if (!parameter.is_span()) {
    const auto count = static_cast<std::int64_t>(parameter.values.size());
    return parameter.values[static_cast<std::size_t>(mul_div_floor(count, at.numerator, at.denominator))];
  }
  const format::TuneSpan& span = parameter.span;
  return rounded(span.low + mul_div_floor(span.high - span.low + 1, at.numerator, at.denominator), span);
}

std::vector<TunePoint> halton(const format::TuneSetting& tune) {
  constexpr std::int64_t kTriesEach = 20;  // of few values many points fall together
  std::vector<TunePoint> points;
  std::set<TunePoint> seen;
  for (std::int64_t i = 1; i <= tune.settings * kTriesEach; ++i) {
    TunePoint point;
    for (std::size_t k = 0; k < tune.parameters.size(); ++k)
      point.push_back(value_at(tune.parameters[k], radical_inverse(i, prime(k))));
    if (!seen.insert(point).second) continue;
    points.push_back(std::move(point));
    if (static_cast<std::int64_t>(points.size()) == tune.settings) break;
  }
  return points;
}

}  // namespace

std::optional<std::vector<TunePoint>> plan_points(const format::TuneSetting& tune) {
  if (tune.parameters.empty()) return std::vector<TunePoint>{};
  return tune.search == format::TuneSetting::Search::grid ? grid(tune) : halton(tune);
}

std::vector<format::Override> overrides_of(const std::vector<format::TuneParameter>& parameters,
                                           const TunePoint& point) {
  CHECK(parameters.size() == point.size(), "a point has a value for each parameter");
  std::vector<format::Override> overrides;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    overrides.push_back({parameters[i].key, format::print_tune_value(parameters[i].type, point[i])});
  return overrides;
}

}  // namespace tenure::lab
