#include "cli/reports/first_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/reports/svg/highlights.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "format/syntax/units.h"
#include "lab/tune/fix_price.h"
#include "sim/checkers/names.h"

namespace tenure::cli {
namespace {

std::string times(std::uint64_t count, std::string_view what) {
  return count == 1 ? fmt::format("one {}", what)
                    : fmt::format("{} {}s", format::print_thousands(count), what);
}

// Those that lasted at some time between two moments; the last ones, where there are many.
std::vector<std::string> faults_between(const sim::RunResult& result, sim::TrueTime from, sim::TrueTime to) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (const sim::FaultRun& fault : result.faults)
    if (fault.took_effect() && fault.at <= to && (!fault.duration || fault.at + *fault.duration >= from))
      names.push_back(fmt::format("{} ({}) at {}", name_of(fault), fault.detail, sim::time_text(fault.at)));
  if (names.size() > kMost) names.erase(names.begin(), names.end() - kMost);
  return names;
}

// "; because of fault 1 (pause n1 for 20s) at 1m00.000s": the end of the line on the metric's worst value. All faults
// that lasted then, where there were several.
std::string cause_of(const sim::RunResult& result, std::string_view metric) {
  const auto worst = std::find_if(result.worst.begin(), result.worst.end(),
                                  [&](const sim::WorstSample& sample) { return sample.metric == metric; });
  if (worst == result.worst.end()) return {};
  const std::vector<std::string> faults =
      faults_between(result, worst->at - result.metrics.believer_overlap, worst->at);
  if (faults.size() > 1) return fmt::format("; in effect were {}", fmt::join(faults, ", "));
  const std::size_t cause = worst->text.rfind("; ");
  return cause == std::string::npos ? "" : worst->text.substr(cause);
}

// Whatever the verdict: it is what a reader must know first.
std::string two_leaders(const sim::RunResult& result) {
  const sim::Metrics& metrics = result.metrics;
  if (metrics.acting_overlap > Duration{})
    return fmt::format("Two leaders acted at the same time for {}{}.", short_duration(metrics.acting_overlap),
                       cause_of(result, "believer_overlap_seconds"));
  if (metrics.believer_overlap > Duration{})
    return fmt::format("Two nodes believed that they lead for {}, and never both acted{}.",
                       short_duration(metrics.believer_overlap),
                       cause_of(result, "believer_overlap_seconds"));
  return {};
}

}  // namespace

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
  if (!promised) return fmt::format("none: no design here promises {}", violation->checker);
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

std::string verdict_sentence(const sim::RunResult& result, const sim::Expectation& expect) {
  const std::string two = two_leaders(result);
  if (result.verdict == sim::Verdict::pass && !expect.fails) {
    const sim::Metrics& metrics = result.metrics;
    const std::string what = fmt::format("{}{}, and nobody led for {}.", times(metrics.failovers, "failover"),
                                         metrics.fires == 0 ? "" : " and " + times(metrics.fires, "fire"),
                                         short_duration(metrics.leaderless));
    return two.empty() ? "Passed: " + what : two + " Every expectation held.";
  }
  if (result.verdict == sim::Verdict::pass && result.story)
    return "Fails, as it must. " + (two.empty() ? result.story->headline + "." : two);
  if (result.story && two.empty()) return result.story->headline + ".";
  if (!two.empty()) return two;
  return headline(result, expect) + ".";
}

}  // namespace tenure::cli
