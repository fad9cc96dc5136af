// one-live-attempt: the store hands an event to a worker only when no attempt at it is live.
//
// An attempt is live until it has ended or its claim is over by the store's clock. During a hold no claim ends, and
// afterwards each one is counted anew. An event is not handed out when it is over either, nor before its back-off is,
// nor after as many attempts as are allowed, of which those that were given back do not count. Attempts count up by
// one: an older one is known by its number where effects land. An event of a version that has one at a time is not
// handed out while an attempt is live at an earlier one of its schedule, or at a later one of such a version.
// What a failover has lost counts: the worker that has it knows nothing of that. What was over and is handed out again
// after a failover has nobody at it: no-stale-completion.
// Reads: what the store answers to workers, holds, failovers.
// Not applicable: no workers.
// One opportunity: an event that is handed out.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/claim_rules.h"
#include "sim/checkers/trackers/execution_tracker.h"

namespace tenure::sim {
namespace {

class OneLiveAttempt final : public CheckerOf<OneLiveAttempt> {
 public:
  explicit OneLiveAttempt(const CheckerSetup& setup)
      : CheckerOf(setup), rules_(run_.rules()), executions_(RoutedSchedules(setup.scenario), rules_) {}

  // It loses nothing of what was done, and its tracker is told of none.
  void on(TrueTime, const StoreFailedOver&) { went_back_ = true; }
  void on(TrueTime now, const Applied& applied) {
    const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied.reply);
    const auto* asked = reference_request<reference::ClaimExecutions>(applied.request);
    if (claimed != nullptr && asked != nullptr) {
      executions_.begin_claim(now, *asked, applied.store_now);
      std::vector<reference::EventId> given;
      for (const reference::Execution& each : claimed->executions) {
        examined();
        const EventRules::Rules* rules = rules_.find(each.token.event);
        if (rules == nullptr) continue;  // nobody has committed it: no-stale-completion
        judge(now, applied, each.token, *rules);
        const std::string beside =
            wrong_beside_others(executions_, names_, *rules, each.token.event, given, applied.store_now);
        if (!beside.empty()) blame(now, applied, {each.token.event, 0, 0}, beside);
        given.push_back(each.token.event);
      }
    }
    executions_.see(now, applied);
  }

 private:
  void judge(TrueTime now, const Applied& applied, const reference::ExecutionToken& token,
             const EventRules::Rules& rules) {
    const EndedAttempt* ended = executions_.ended(token.event);
    if (ended == nullptr || executions_.is_here(token.event)) {
      for (const std::string& how : wrongs_of_attempt(executions_, names_, rules, token, applied.store_now))
        blame(now, applied, token, how);
    } else if (ended->how != reference::Standing::replaced && !went_back_) {
      // What a later event has taken the place of: no-stale-completion. So what a failover may have restored.
      blame(now, applied, token, "after it was over");
    }
  }
  void blame(TrueTime now, const Applied& applied, const reference::ExecutionToken& token,
             const std::string& how) {
    const std::string attempt = token.attempt == 0 ? "" : fmt::format(" as attempt {}", token.attempt);
    violate(now, {}, {token.event.schedule},
            fmt::format("{} was handed to {}{} at {}, {}", names_.event(token.event), names_.who(applied.who),
                        attempt, time_text(now), how));
  }

  const EventRules& rules_;
  ExecutionTracker executions_;
  bool went_back_ = false;  // so the store has again what was over
};

}  // namespace

TENURE_MADE_UNLESS(lacks_workers, one_live_attempt, OneLiveAttempt)

}  // namespace tenure::sim
