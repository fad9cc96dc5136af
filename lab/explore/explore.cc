#include "lab/explore/explore.h"

#include <fmt/format.h>

#include "lab/explore/search.h"
#include "lab/explore/trace.h"

namespace tenure::lab::explore {
namespace {

Duration middle(const sim::Range<Duration>& range) {
  return Duration::nanos(range.low.ns() + (range.high.ns() - range.low.ns()) / 2);
}

bool whole_microseconds(Duration d) { return d.ns() % Duration::micros(1).ns() == 0; }

}  // namespace

ExploreSettings settings_of(const sim::Scenario& scenario, const format::ExhaustiveSetting& bounds) {
  const auto budget = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
  ExploreSettings settings;
  settings.protocol = scenario.protocol;
  settings.start_ns = scenario.start_ns;
  settings.budgets = {
      .crashes = budget(bounds.crashes),
      .pauses = budget(bounds.pauses),
      .stops = budget(bounds.stops),
      .losses = budget(bounds.losses),
      .delays = budget(bounds.delays),
      .requests = bounds.requests ? budget(*bounds.requests) : kUnlimited,
  };
  settings.horizon = bounds.horizon;
  settings.tick = bounds.tick;
  settings.jitter_ends = bounds.jitter_ends;
  settings.acting = bounds.acting;
  settings.states_max = static_cast<std::uint64_t>(bounds.states);
  settings.store_offset = middle(scenario.store.clock.offset);
  for (const sim::InstanceSetting& instance : scenario.instances) {
    if (bounds.instances != 0 && settings.instances.size() == static_cast<std::size_t>(bounds.instances))
      break;
    settings.instances.push_back({instance.election, middle(instance.clock.offset)});
  }
  return settings;
}

std::string why_not_explorable(const ExploreSettings& settings) {
  if (settings.protocol == nullptr) return "no protocol";
  if (settings.protocol->design != nullptr)
    return fmt::format(
        "{} is a design in a file: its program is not copied, and exploration copies it at each branch",
        settings.protocol->name);
  if (settings.protocol->make == nullptr)
    return fmt::format("{} makes whole nodes, and only an elector can be explored", settings.protocol->name);
  if (settings.protocol->store == nullptr)
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

}  // namespace tenure::lab::explore
