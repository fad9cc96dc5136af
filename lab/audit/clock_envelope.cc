#include "lab/audit/clock_envelope.h"

#include <algorithm>

#include "core/base/check.h"
#include "lab/audit/machines.h"

namespace tenure::sim {
namespace {

// The store tells whole microseconds, and reads its clock a moment before or after it does what it was asked.
constexpr Duration kSlack = Duration::micros(100);

Duration drift_in(Duration time) {
  const Duration length = time < Duration{} ? -time : time;
  return Duration::nanos(length.ns() / 1'000'000'000 * kDriftPerSecond.ns() +
                         length.ns() % 1'000'000'000 * kDriftPerSecond.ns() / 1'000'000'000 + 1);
}

Duration difference(StoreTime store, journal::BootTime at) {
  return Duration::nanos(store.ns()) - Duration::nanos(at.ns());
}

}  // namespace

ClockEnvelope::ClockEnvelope(const std::vector<ClockSample>& samples) {
  std::vector<Knot> low;
  std::vector<Knot> high;
  for (const ClockSample& sample : samples) {
    low.push_back({sample.heard, difference(sample.store, sample.heard) - kSlack});
    high.push_back({sample.sent, difference(sample.store, sample.sent) + kSlack});
    first_ = std::min(first_, sample.store);
    last_ = std::max(last_, sample.store);
  }
  low_ = tightened(std::move(low), true);
  high_ = tightened(std::move(high), false);
}

std::vector<ClockEnvelope::Knot> ClockEnvelope::tightened(std::vector<Knot> knots, bool lower) {
  std::stable_sort(knots.begin(), knots.end(), [](const Knot& a, const Knot& b) { return a.at < b.at; });
  const auto tighten = [lower](Knot& knot, const Knot& by) {
    const Duration drift = drift_in(knot.at - by.at);
    knot.difference = lower ? std::max(knot.difference, by.difference - drift)
                            : std::min(knot.difference, by.difference + drift);
  };
  for (std::size_t i = 1; i < knots.size(); ++i) tighten(knots[i], knots[i - 1]);
  for (std::size_t i = knots.size(); i > 1; --i) tighten(knots[i - 2], knots[i - 1]);
  return knots;
}

Duration ClockEnvelope::at(const std::vector<Knot>& knots, journal::BootTime when, bool lower) {
  CHECK(!knots.empty());
  const auto after =
      std::upper_bound(knots.begin(), knots.end(), when,
                       [](journal::BootTime time, const Knot& knot) { return time < knot.at; });
  const auto by = [&](const Knot& knot) {
    const Duration drift = drift_in(when - knot.at);
    return lower ? knot.difference - drift : knot.difference + drift;
  };
  if (after == knots.begin()) return by(*after);
  const Duration before = by(*std::prev(after));
  if (after == knots.end()) return before;
  return lower ? std::max(before, by(*after)) : std::min(before, by(*after));
}

bool ClockEnvelope::consistent() const {
  const auto fits = [this](const Knot& knot) { return at(low_, knot.at, true) <= at(high_, knot.at, false); };
  return std::all_of(low_.begin(), low_.end(), fits) && std::all_of(high_.begin(), high_.end(), fits);
}

StoreTime ClockEnvelope::earliest(journal::BootTime when) const {
  return StoreTime::from_ns((Duration::nanos(when.ns()) + at(low_, when, true)).ns());
}
StoreTime ClockEnvelope::latest(journal::BootTime when) const {
  return StoreTime::from_ns((Duration::nanos(when.ns()) + at(high_, when, false)).ns());
}

}  // namespace tenure::sim
