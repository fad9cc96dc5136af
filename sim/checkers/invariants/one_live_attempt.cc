// one-live-attempt: the store hands an event to a worker only when no attempt at it is live.
//
// An attempt is live until it has ended or its claim is over by the store's clock. During a hold no claim ends, and
// afterwards each one is counted anew. An event is not handed out when it is over either, nor before its back-off is,
// nor after as many attempts as are allowed, of which those that were given back do not count. Attempts count up by
// one: an older one is known by its number where effects land. An event of a version that has one at a time is not
// handed out while an attempt is live at an earlier one of its schedule, or at a later one of such a version.
// What a failover has lost counts: the worker that has it knows nothing of that.
// Reads: what the store answers to workers, holds.
// Not applicable: no workers.
// One opportunity: an event that is handed out.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/execution_tracker.h"
#include "sim/checkers/trackers/work_trackers.h"

namespace tenure::sim {
namespace {

class OneLiveAttempt final : public Checker {
 public:
  explicit OneLiveAttempt(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes),
        rules_(setup.work->rules()),
        executions_(RoutedSchedules(setup.scenario), rules_) {}

  std::uint32_t wants() const override { return record_mask<Applied>(); }

  void see(TrueTime now, const Record& record) override {
    const auto* applied = std::get_if<Applied>(&record);
    if (applied == nullptr) return;  // failovers lose nothing of what was done
    const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied->reply);
    const auto* asked = reference_request<reference::ClaimExecutions>(applied->request);
    if (claimed != nullptr && asked != nullptr) {
      executions_.begin_claim(asked->topic, applied->store_now);
      std::vector<reference::EventId> given;
      for (const reference::Execution& each : claimed->executions) {
        examined();
        if (rules_.find(each.token.event) == nullptr)
          continue;  // nobody has committed it: no-stale-completion
        judge(now, *applied, each.token);
        judge_others(now, *applied, each.token.event, given);
        given.push_back(each.token.event);
      }
    }
    executions_.see(record);
  }

 private:
  void judge(TrueTime now, const Applied& applied, const reference::ExecutionToken& token) {
    const EndedAttempt* ended = executions_.ended(token.event);
    if (ended != nullptr && !executions_.is_here(token.event)) {
      // What a later event has taken the place of: no-stale-completion.
      if (ended->how != reference::Standing::replaced) blame(now, applied, token, "after it was over");
      return;
    }
    const KnownAttempt* last = executions_.find(token.event);
    const std::uint32_t spent = last != nullptr ? last->spent_of(token.attempt) : token.attempt;
    if (spent > rules_.find(token.event)->delivery.attempts)
      blame(now, applied, token, "after its last attempt");
    if (last == nullptr) {
      if (token.attempt != 1) blame(now, applied, token, "and there was no attempt before");
      return;
    }
    if (executions_.stands(*last, applied.store_now))
      return blame(now, applied, token,
                   fmt::format("while attempt {} of {} was live", last->number, names_.who(last->who)));
    if (last->state == KnownAttempt::State::failed && applied.store_now < last->until)
      return blame(now, applied, token, "before its back-off was over");
    if (token.attempt != last->number + 1)
      blame(now, applied, token, fmt::format("and the attempt before was {}", last->number));
  }
  // `given`: what this answer has handed out before.
  void judge_others(TrueTime now, const Applied& applied, const reference::EventId& event,
                    const std::vector<reference::EventId>& given) {
    if (!rules_.find(event)->one_at_a_time()) return;
    const auto together = std::find_if(given.begin(), given.end(), [&](const reference::EventId& other) {
      return other.schedule == event.schedule && executions_.has_to_wait_for(event, other);
    });
    if (together != given.end())
      blame(now, applied, {event, 0, 0}, "together with another of its schedule, which has one at a time");
    for (const auto& [position, other] : executions_.of_schedule(event.schedule)) {
      const KnownAttempt* attempt = executions_.find(other);
      if (attempt == nullptr || !executions_.stands(*attempt, applied.store_now) ||
          !executions_.has_to_wait_for(event, other))
        continue;
      return blame(now, applied, {event, 0, 0},
                   fmt::format("while attempt {} of {} at {} was live, and its schedule has one at a time",
                               attempt->number, names_.who(attempt->who), names_.event(other)));
    }
  }
  void blame(TrueTime now, const Applied& applied, const reference::ExecutionToken& token,
             const std::string& how) {
    violate([&] {
      const std::string attempt = token.attempt == 0 ? "" : fmt::format(" as attempt {}", token.attempt);
      return Violation{now,
                       fmt::format("{} was handed to {}{} at {}, {}", names_.event(token.event),
                                   names_.who(applied.who), attempt, time_text(now), how),
                       {},
                       {token.event.schedule}};
    });
  }

  Names names_;
  const EventRules& rules_;
  ExecutionTracker executions_;
};

}  // namespace

const char* one_live_attempt::not_applicable(const Scenario& scenario) { return lacks_workers(scenario); }

std::unique_ptr<Checker> one_live_attempt::make(const CheckerSetup& setup) {
  return std::make_unique<OneLiveAttempt>(setup);
}

}  // namespace tenure::sim
