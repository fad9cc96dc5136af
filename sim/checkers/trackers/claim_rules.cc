#include "sim/checkers/trackers/claim_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenure::sim {

std::vector<std::string> wrongs_of_attempt(const ExecutionTracker& executions, const Names& names,
                                           const EventRules::Rules& rules,
                                           const reference::ExecutionToken& token, StoreTime now) {
  std::vector<std::string> wrongs;
  const KnownAttempt* last = executions.find(token.event);
  const std::uint32_t before = last != nullptr ? last->number : executions.put_back_after(token.event);
  const std::uint32_t spent =
      last != nullptr ? last->spent_of(token.attempt) : token.attempt - std::min(before, token.attempt);
  if (spent > rules.delivery.attempts) wrongs.emplace_back("after its last attempt");
  if (last != nullptr && executions.stands(*last, now)) {
    wrongs.push_back(fmt::format("while attempt {} of {} was live", last->number, names.who(last->who)));
  } else if (last != nullptr && last->state == KnownAttempt::State::failed && now < last->until) {
    wrongs.emplace_back("before its back-off was over");
  } else if (token.attempt != before + 1) {
    wrongs.push_back(before == 0 ? std::string("and there was no attempt before")
                                 : fmt::format("and the attempt before was {}", before));
  }
  return wrongs;
}

std::string wrong_beside_others(const ExecutionTracker& executions, const Names& names,
                                const EventRules::Rules& rules, const reference::EventId& event,
                                const std::vector<reference::EventId>& given, StoreTime now) {
  if (!rules.one_at_a_time()) return {};
  const bool together = std::any_of(given.begin(), given.end(), [&](const reference::EventId& other) {
    return other.schedule == event.schedule && executions.has_to_wait_for(event, other);
  });
  if (together) return "together with another of its schedule, which has one at a time";
  for (const auto& [position, other] : executions.of_schedule(event.schedule)) {
    const KnownAttempt* attempt = executions.find(other);
    if (attempt == nullptr || !executions.stands(*attempt, now) || !executions.has_to_wait_for(event, other))
      continue;
    return fmt::format("while attempt {} of {} at {} was live, and its schedule has one at a time",
                       attempt->number, names.who(attempt->who), names.event(other));
  }
  return {};
}

}  // namespace tenure::sim
