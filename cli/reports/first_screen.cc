#include "cli/reports/first_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/reports/svg/highlights.h"
#include "cli/reports/text/text_format.h"
#include "format/syntax/units.h"
#include "lab/tune/fix_price.h"

namespace tenure::cli {
std::string broken_assumption(const sim::Recording& recording, const sim::Scenario& scenario) {
  const sim::ViolationSpan* violation = first_mark(recording);
  if (violation == nullptr) return {};
  std::vector<Claim> claims = scenario.protocol->claims();
  if (scenario.scheduler != nullptr)
    for (const Claim& claim : scenario.scheduler->claims()) claims.push_back(claim);
  bool promised = false;
  std::vector<std::string> broken;
  for (const Claim& claim : claims) {
    if (claim.invariant != violation->checker) continue;
    promised = true;
    for (const Assumption assumption : claim.assumptions) {
      const std::string name(name_of(assumption));
      const bool is_broken =
          std::any_of(recording.broken.begin(), recording.broken.end(), [&](const sim::BrokenSpan& one) {
            return one.assumption == name && one.span.from <= violation->span.to;
          });
      if (is_broken && std::find(broken.begin(), broken.end(), name) == broken.end()) broken.push_back(name);
    }
  }
  if (!promised) return fmt::format("none: nobody promises {}", violation->checker);
  return broken.empty() ? "none of those that the promise rests on"
                        : fmt::format("{}", fmt::join(broken, ", "));
}

std::string price_of_fix(const sim::Recording& recording, const sim::RunResult& result,
                         const sim::Scenario& scenario) {
  const sim::ViolationSpan* two = first_mark(recording, "one-believer");
  if (two == nullptr) return {};
  const sim::FaultRun* before = nullptr;
  for (const sim::FaultRun& fault : result.faults) {
    const bool struck = fault.skipped.empty() && fault.at <= two->span.to;
    if (struck && (before == nullptr || before->at <= fault.at)) before = &fault;
  }
  if (before == nullptr || before->entry == 0 || !before->duration) return {};
  const auto price = lab::price_of_outlasting(scenario, before->entry - 1, *before->duration);
  if (!price) return {};
  return fmt::format(
      "in theory, a {} of {} instead of {} outlasts it; a failover then takes {} in the mean instead of {}",
      price->key, print_duration(price->enough), print_duration(price->now),
      short_duration(price->failover_then), short_duration(price->failover_now));
}

}  // namespace tenure::cli
