#include "cli/reports/html/verdict_sentence.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

std::string times(std::uint64_t count, std::string_view what) {
  return count == 1 ? fmt::format("one {}", what)
                    : fmt::format("{} {}s", format::print_thousands(count), what);
}

// "; because of fault 1 (pause n1 for 20s) at 1m00.000s": the end of the line on the metric's worst value.
std::string cause_of(const sim::RunResult& result, std::string_view metric) {
  const auto worst = std::find_if(result.worst.begin(), result.worst.end(),
                                  [&](const sim::WorstSample& sample) { return sample.metric == metric; });
  if (worst == result.worst.end()) return {};
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

std::string verdict_sentence(const sim::RunResult& result, const sim::Expectation& expect) {
  const std::string two = two_leaders(result);
  if (result.verdict == sim::Verdict::pass && !expect.fails) {
    const sim::Metrics& metrics = result.metrics;
    const std::string what = fmt::format("{}{}, and nobody led for {}.", times(metrics.failovers, "failover"),
                                         metrics.fires == 0 ? "" : " and " + times(metrics.fires, "fire"),
                                         short_duration(metrics.leaderless));
    return two.empty() ? "All that was demanded held: " + what : two + " Nothing that was demanded broke.";
  }
  if (result.verdict == sim::Verdict::pass && result.story)
    return "Fails, as it must. " + (two.empty() ? result.story->headline + "." : two);
  if (result.story && two.empty()) return result.story->headline + ".";
  if (!two.empty()) return two;
  return headline(result, expect) + ".";
}

}  // namespace tenure::cli
