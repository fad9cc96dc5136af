// topic-isolation: a worker is handed events of the topic that it has asked for, and of no other.
//
// So workers of one topic that are slow, or dead, have no event of another in hand. That events of each topic get
// delivered is what `delivered` holds, by the workers of that topic alone.
// Reads: what the store answers to claims.
// Not applicable: no workers, or no schedule has a topic.
// One opportunity: an event that is handed out.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

std::string in_words(std::string_view topic) {
  return topic.empty() ? "no topic" : fmt::format("the topic `{}`", topic);
}

class TopicIsolation final : public CheckerOf<TopicIsolation> {
 public:
  using CheckerOf::CheckerOf;

  void on(TrueTime now, const Applied& applied) {
    const auto* asked = reference_request<reference::ClaimExecutions>(applied.request);
    const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied.reply);
    if (asked == nullptr || claimed == nullptr) return;
    for (const reference::Execution& each : claimed->executions) {
      examined();
      const reference::EventId& event = each.token.event;
      const std::string_view topic = run_.topic(event.schedule);
      if (topic == asked->topic) continue;
      violate(
          now, {}, {event.schedule},
          fmt::format("{}, which has {}, was handed to {} at {}, which had asked for {}", names_.event(event),
                      in_words(topic), names_.who(applied.who), time_text(now), in_words(asked->topic)));
    }
  }
};

}  // namespace

const char* topic_isolation::not_applicable(const Scenario& scenario) {
  if (const char* why = lacks_workers(scenario)) return why;
  const auto has_one = [](const auto& each) { return !each.payload.topic.empty(); };
  return std::any_of(scenario.schedules.begin(), scenario.schedules.end(), has_one) ||
                 std::any_of(scenario.changes.begin(), scenario.changes.end(), has_one)
             ? nullptr
             : "no schedule has a topic";
}

TENURE_MADE_AS(topic_isolation, TopicIsolation)

}  // namespace tenure::sim
