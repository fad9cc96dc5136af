#include "lab/explore/explore.h"

#include <fmt/format.h>

#include "lab/explore/search.h"
#include "lab/explore/trace.h"

namespace tenure::sim::explore {
namespace {

Duration middle(const Range<Duration>& range) {
  return Duration::nanos(range.low.ns() + (range.high.ns() - range.low.ns()) / 2);
}

bool whole_microseconds(Duration d) { return d.ns() % Duration::micros(1).ns() == 0; }

}  // namespace

ExploreSettings settings_of(const Scenario& scenario, const Budgets& budgets, Duration horizon,
                            std::uint32_t instances) {
  ExploreSettings settings;
  settings.protocol = scenario.protocol;
  settings.start_ns = scenario.start_ns;
  settings.budgets = budgets;
  settings.horizon = horizon;
  settings.store_offset = middle(scenario.store.clock.offset);
  for (const InstanceSetting& instance : scenario.instances) {
    if (instances != 0 && settings.instances.size() == instances) break;
    settings.instances.push_back({instance.election, middle(instance.clock.offset)});
  }
  return settings;
}

std::string unfit(const ExploreSettings& settings) {
  if (settings.protocol == nullptr) return "no protocol";
  if (settings.protocol->make == nullptr)
    return fmt::format("{} makes whole nodes, and only an elector can be explored", settings.protocol->name);
  if (settings.protocol->store.empty())
    return fmt::format("{} has no store: its instances send one another messages, which are not explored",
                       settings.protocol->name);
  if (settings.instances.empty() || settings.instances.size() > kInstancesMax)
    return fmt::format("{} instances; 1 to {} can be explored", settings.instances.size(), kInstancesMax);
  const Budgets& budgets = settings.budgets;
  for (const std::uint32_t budget :
       {budgets.crashes, budgets.pauses, budgets.stops, budgets.losses, budgets.delays}) {
    if (budget != kUnlimited && budget > kBudgetMax)
      return fmt::format("a budget of {}; at most {}", budget, kBudgetMax);
  }
  if (budgets.requests != kUnlimited && budgets.requests > kRequestsMax)
    return fmt::format("{} requests; at most {}", budgets.requests, kRequestsMax);
  if (settings.horizon <= Duration{}) return "the horizon must be positive";
  if (settings.tick < Duration{} || !whole_microseconds(settings.tick))
    return "the tick is in whole microseconds";
  if (!whole_microseconds(settings.store_offset) || settings.start_ns % Duration::micros(1).ns() != 0)
    return "the store's clock is in whole microseconds";
  if (settings.states_max == 0 || settings.states_max >= kUnlimited) return "too many states";
  return {};
}

ExploreResult explore(const ExploreSettings& settings, const GoOn& go_on) {
  ExploreResult result;
  Search search(settings);
  if (const auto found = search.run(result, go_on)) result.violation = retell(settings, *found);
  return result;
}

}  // namespace tenure::sim::explore
