#include "lab/tune/fix_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "lab/tune/closed_form.h"

namespace tenure::lab {
namespace {

// For how long others wait for a leader that says nothing.
struct LeaseKey {
  std::string_view protocol;
  std::string_view key;
};
constexpr LeaseKey kLeaseKeys[] = {{"fenced-lease", "lease_duration"},
                                   {"db-lease", "lock_duration"},
                                   {"client-go", "lease_duration"},
                                   {"heartbeat-lock", "heartbeat_timeout"}};

constexpr Duration kLongest = Duration::seconds(24 * 3'600);

sim::Scenario with_lease(const sim::Scenario& scenario, std::string_view key, Duration lease) {
  sim::Scenario changed = scenario;
  for (sim::InstanceSetting& instance : changed.instances) instance.election.set(key, lease);
  return changed;
}

// The mean of the failover; none where the forms are not for this setting.
std::optional<Duration> failover_of(const sim::Scenario& scenario) {
  const std::optional<ClosedForm> form = closed_form(scenario);
  if (!form || !form->not_for.empty() || !form->failover) return std::nullopt;
  return form->failover->mean;
}

}  // namespace

std::optional<FixPrice> price_of_outlasting(const sim::Scenario& scenario, std::size_t fault,
                                            Duration strength) {
  const auto row = std::find_if(std::begin(kLeaseKeys), std::end(kLeaseKeys), [&](const LeaseKey& each) {
    return each.protocol == scenario.protocol->name;
  });
  if (row == std::end(kLeaseKeys) || fault >= scenario.faults.size()) return std::nullopt;
  const std::string of_fault = fmt::format("fault.{}.duration", fault + 1);
  const auto outlasts = [&](Duration lease) {
    const std::optional<TheoryBound> bound =
        theory_bound(with_lease(scenario, row->key, lease), of_fault, "one-believer");
    return bound && bound->value && *bound->value >= strength.ns();
  };
  const Duration now = scenario.instances.front().election.duration(row->key);
  if (outlasts(now) || !outlasts(kLongest)) return std::nullopt;
  const Duration step = now >= Duration::seconds(1) ? Duration::seconds(1) : Duration::millis(10);
  std::int64_t low = now / step;        // is not enough
  std::int64_t high = kLongest / step;  // is
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (outlasts(step * middle) ? high : low) = middle;
  }
  const std::optional<Duration> before = failover_of(scenario);
  const std::optional<Duration> after = failover_of(with_lease(scenario, row->key, step * high));
  if (!before || !after) return std::nullopt;
  return FixPrice{row->key, now, step * high, *before, *after};
}

}  // namespace tenure::lab
