// What an exploration found, in words.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/model/describe.h"
#include "lab/explore/explore.h"
#include "sim/scenario/latencies.h"

namespace tenure::lab::explore {
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

std::string why_it_shows_nothing(const ExploreSettings& settings, const ExploreResult& result) {
  if (!result.finished || result.violation || result.led_in_turn || settings.instances.size() < 2) return {};
  Duration waits;
  for (const InstanceSettings& instance : settings.instances)
    waits = std::max(waits, sim::durations_of(instance.election).sum);
  const Budgets& budgets = settings.budgets;
  std::string why = "no second instance ever led after the first, so that none could lead beside it; ";
  if (budgets.crashes + budgets.pauses + budgets.stops + budgets.losses == 0)
    return why + "allow a crash or a pause, so that a leader can lose its lead";
  if (result.endless)
    return why + "nor will one, however long it goes on: allow one more crash, pause, stop or loss";
  if (budgets.requests != kUnlimited)
    why += fmt::format("{} are too few for that, or ", count(budgets.requests, "request", "requests"));
  return why + fmt::format("the horizon is too near: its waits add up to {} (--set exhaustive.horizon={})",
                           describe(waits), describe(waits + waits));
}

std::string report(const ExploreSettings& settings, const ExploreResult& result) {
  std::string text = fmt::format("{}, {}\n", settings.protocol->name, bounds_in_words(settings));
  text += fmt::format("  {} states, {} transitions, depth {}, up to {}\n", result.states, result.transitions,
                      result.depth, describe(result.reached - sim::TrueTime{}));
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
    if (const std::string why = why_it_shows_nothing(settings, result); !why.empty())
      text += "  but " + why + "\n";
    if (result.endless)
      text += "  the horizon cut nothing off: within these budgets it holds for any length of time\n";
  }
  return text;
}

}  // namespace tenure::lab::explore
