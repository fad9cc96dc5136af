#include "lab/hunt/round_duration.h"

#include <array>

namespace tenure::lab {

Duration round_up(Duration length) {
  constexpr std::array kUnits = {Duration::millis(100), Duration::seconds(1),  Duration::seconds(10),
                                 Duration::minutes(1),  Duration::minutes(10), Duration::hours(1)};
  Duration unit = kUnits.front();
  for (const Duration each : kUnits)
    if (length >= each * 10) unit = each;
  return unit * ((length + unit - Duration::nanos(1)) / unit);
}

std::vector<Duration> rounder(Duration length) {
  std::vector<Duration> lengths;
  constexpr std::array kUnits = {Duration::minutes(1),  Duration::seconds(10), Duration::seconds(1),
                                 Duration::millis(100), Duration::millis(10),  Duration::millis(1),
                                 Duration::micros(100), Duration::micros(10),  Duration::micros(1)};
  for (const Duration unit : kUnits) {
    const Duration rounded = unit * (length / unit);
    if (rounded > Duration{} && rounded != length && (lengths.empty() || lengths.back() != rounded))
      lengths.push_back(rounded);
  }
  return lengths;
}

}  // namespace tenure::lab
