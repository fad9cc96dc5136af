#include "lab/session/explored_whole.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/syntax/units.h"
#include "lab/explore/explore.h"
#include "lab/session/cancellation.h"
#include "sim/runner/claims.h"

namespace tenure::lab {
namespace {

namespace explore = lab::explore;

constexpr std::int64_t kMostStates = 1'000'000;  // about a second, and a quarter of a gigabyte
constexpr std::int64_t kOwnTimes = 3;            // as long as a situation lasts at least

// Whether the exploration does all that the file does: its faults are crashes, stops and pauses, no more of them than
// the budgets have, all clocks are exact, and nothing that the design assumes is broken by the settings alone.
bool covers(const lab::explore::ExploreSettings& settings, const sim::Scenario& scenario) {
  const auto is_exact = [](const sim::InstanceSetting& instance) {
    return instance.clock == sim::ClockSetting{};
  };
  if (!(scenario.store.clock == sim::ClockSetting{}) ||
      !std::all_of(scenario.instances.begin(), scenario.instances.end(), is_exact))
    return false;
  if (!sim::broken_at_rest(scenario).empty()) return false;
  std::size_t crashes = 0;
  std::size_t stops = 0;
  std::size_t pauses = 0;
  for (const sim::FaultSetting& fault : scenario.faults) {
    if (!sim::strikes_once(fault)) return false;
    if (fault.action == "kill" || fault.action == "restart")
      ++crashes;
    else if (fault.action == "stop")
      ++stops;
    else if (fault.action == "rolling-restart")
      stops += settings.instances.size();
    else if (fault.action == "pause")
      ++pauses;
    else
      return false;
  }
  const lab::explore::Budgets& budgets = settings.budgets;
  return crashes <= budgets.crashes && stops <= budgets.stops && pauses <= budgets.pauses;
}

}  // namespace

std::string explored_whole(const sim::Scenario& scenario, const format::ExhaustiveSetting& bounds,
                           std::optional<Duration> own_time) {
  format::ExhaustiveSetting within = bounds;
  within.states = std::min(within.states, kMostStates);
  if (own_time) within.horizon = std::max(within.horizon, *own_time * kOwnTimes);
  const lab::explore::ExploreSettings settings = lab::explore::settings_of(scenario, within);
  if (!lab::explore::why_not_explorable(settings).empty() || !covers(settings, scenario)) return {};
  const lab::explore::ExploreResult found =
      explore::explore(settings, [](std::uint64_t) { return !is_cancelled(); });
  const bool shows_it = lab::explore::why_it_shows_nothing(settings, found).empty();
  if (!found.finished || found.violation || !shows_it) return {};
  return fmt::format("in every order: {}{}: {} states", lab::explore::bounds_in_words(settings),
                     found.endless ? ", or any length of time" : "", format::print_thousands(found.states));
}

}  // namespace tenure::lab
