#include "lab/session/exploring_proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/syntax/units.h"
#include "lab/explore/explore.h"
#include "lab/session/interruption.h"

namespace tenure::lab {
namespace {

namespace explore = sim::explore;

constexpr std::int64_t kMostStates = 1'000'000;  // about a second, and a quarter of a gigabyte
constexpr std::int64_t kOwnTimes = 3;            // as long as a situation lasts at least

}  // namespace

std::string exploring_proof(const sim::Scenario& scenario, const sim::ExhaustiveSetting& bounds,
                            std::optional<Duration> own_time) {
  sim::ExhaustiveSetting within = bounds;
  within.states = std::min(within.states, kMostStates);
  if (own_time) within.horizon = std::max(within.horizon, *own_time * kOwnTimes);
  const explore::ExploreSettings settings = explore::settings_of(scenario, within);
  if (!explore::why_not_explorable(settings).empty()) return {};
  const explore::ExploreResult found =
      explore::explore(settings, [](std::uint64_t) { return !interrupted(); });
  if (!found.finished || found.violation) return {};
  return fmt::format("explored in every order: {}{}: {} states", explore::bounds_in_words(settings),
                     found.endless ? ", or any length of time" : "", sim::print_thousands(found.states));
}

}  // namespace tenure::lab
