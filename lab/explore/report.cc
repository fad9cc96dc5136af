// What an exploration found, in words.
#include <fmt/format.h>

#include <string_view>

#include "core/model/describe.h"
#include "lab/explore/explore.h"

namespace tenure::sim::explore {
namespace {

std::string count(std::uint64_t n, std::string_view one, std::string_view many) {
  return n == kUnlimited ? fmt::format("any number of {}", many)
                         : fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace

std::string bounds_in_words(const ExploreSettings& settings) {
  const Budgets& budgets = settings.budgets;
  std::string text =
      fmt::format("{}; {}, {}", count(settings.instances.size(), "instance", "instances"),
                  count(budgets.crashes, "crash", "crashes"), count(budgets.pauses, "pause", "pauses"));
  if (budgets.stops != 0) text += ", " + count(budgets.stops, "stop", "stops");
  text += fmt::format(", {}, {}", count(budgets.losses, "loss", "losses"),
                      count(budgets.delays, "delay", "delays"));
  if (budgets.requests != kUnlimited) text += ", " + count(budgets.requests, "request", "requests");
  text += "; within " + describe(settings.horizon);
  if (settings.tick > Duration{}) text += ", in steps of at most " + describe(settings.tick);
  if (settings.jitter_ends) text += "; random waits at both ends";
  if (settings.acting) text += "; leaders work";
  return text;
}

std::string report(const ExploreSettings& settings, const ExploreResult& result) {
  std::string text = fmt::format("{}, {}\n", settings.protocol->name, bounds_in_words(settings));
  text += fmt::format("  {} states, {} transitions, depth {}, up to {}\n", result.states, result.transitions,
                      result.depth, describe(result.reached - TrueTime{}));
  text +=
      fmt::format("  made of {} states of an instance and {} of the store; {} steps of the core; {} MiB\n",
                  result.instance_states, result.store_states, result.steps, result.bytes >> 20);
  if (result.violation) {
    text += fmt::format("  {} fails: {}\n\n", result.violation->check, result.violation->what);
    for (const std::string& line : result.violation->trace) text += line + "\n";
  } else if (!result.finished) {
    text += fmt::format("  not finished: {}; no violation so far\n", result.why_not);
  } else {
    text += "  finished: no violation\n";
    if (result.endless)
      text += "  the horizon cut nothing off: within these budgets it holds for any length of time\n";
  }
  return text;
}

}  // namespace tenure::sim::explore
