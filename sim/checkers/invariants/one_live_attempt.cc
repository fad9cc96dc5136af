// one-live-attempt: the store hands an event to a worker only when no attempt at it is live.
//
// An attempt is live until it has ended or its claim is over by the store's clock. During a hold no claim ends, and
// afterwards each one is counted anew. An event is not handed out when it is over either, nor before its back-off is,
// nor after as many attempts as its schedule allows, of which those that were given back do not count. Attempts count
// up by one: an older one is known by its number where effects land. Of a schedule that hands out one event at a time,
// it is handed out while no other one's attempt is live.
// What a failover has lost counts: the worker that has it knows nothing of that.
// Reads: what the store answers to workers, holds.
// Not applicable: no workers.
// One opportunity: an event that is handed out.
#include <fmt/format.h>

#include <set>
#include <string>

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/execution_tracker.h"

namespace tenure::sim {
namespace {

// Those that hand out one event at a time, whatever version fired it.
std::set<ScheduleId> one_at_a_time(const Scenario& scenario) {
  std::set<ScheduleId> schedules;
  const auto is_strict = [](const Definition& definition) {
    return definition.overlap != Overlap::allow || definition.delivery.strict_order;
  };
  for (std::uint32_t i = 0; i < scenario.schedules.size(); ++i)
    if (is_strict(scenario.schedules[i].definition)) schedules.insert(ScheduleId{i});
  for (const ChangeSetting& change : scenario.changes) {
    if (change.action == ChangeAction::create && is_strict(change.definition))
      schedules.insert(change.schedule);
    if (change.action == ChangeAction::update && !is_strict(change.definition))
      schedules.erase(change.schedule);
  }
  return schedules;
}

class OneLiveAttempt final : public Checker {
 public:
  explicit OneLiveAttempt(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes),
        one_at_a_time_(one_at_a_time(setup.scenario)),
        routed_(setup.scenario),
        executions_(routed_) {}

  std::uint32_t wants() const override { return record_mask<Applied>(); }

  void see(TrueTime now, const Record& record) override {
    const auto* applied = std::get_if<Applied>(&record);
    if (applied == nullptr) return;  // failovers lose nothing of what was done
    const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied->reply);
    const auto* asked = reference_request<reference::ClaimExecutions>(applied->request);
    if (claimed != nullptr && asked != nullptr) {
      executions_.begin_claim(asked->topic, applied->store_now);
      std::set<ScheduleId> given;
      for (const reference::Execution& each : claimed->executions) {
        examined();
        judge(now, *applied, each.token);
        judge_others(now, *applied, each.token.event, given);
      }
    }
    executions_.see(record);
  }

 private:
  void judge(TrueTime now, const Applied& applied, const reference::ExecutionToken& token) {
    const KnownAttempt* last = executions_.find(token.event);
    const std::uint32_t spent = last != nullptr ? last->spent_of(token.attempt) : token.attempt;
    if (spent > routed_.most_attempts(token.event.schedule))
      blame(now, applied, token, "after its last attempt");
    if (last == nullptr) {
      if (token.attempt != 1 && !executions_.has_forgotten())
        blame(now, applied, token, "and there was no attempt before");
      return;
    }
    if (executions_.stands(*last, applied.store_now))
      return blame(now, applied, token,
                   fmt::format("while attempt {} of {} was live", last->number, names_.who(last->who)));
    if (last->is_over()) return blame(now, applied, token, "after it was over");
    if (last->state == KnownAttempt::State::failed && applied.store_now < last->until)
      return blame(now, applied, token, "before its back-off was over");
    if (token.attempt != last->number + 1)
      blame(now, applied, token, fmt::format("and the attempt before was {}", last->number));
  }
  // `given`: schedules of which this answer hands out an event.
  void judge_others(TrueTime now, const Applied& applied, const reference::EventId& event,
                    std::set<ScheduleId>& given) {
    if (!one_at_a_time_.contains(event.schedule)) return;
    if (!given.insert(event.schedule).second)
      blame(now, applied, {event, 0, 0}, "together with another of its schedule, which has one at a time");
    executions_.for_each_standing(
        event.schedule, applied.store_now, [&](const reference::EventId& other, const KnownAttempt& attempt) {
          if (other == event) return;
          blame(now, applied, {event, 0, 0},
                fmt::format("while attempt {} of {} at {} was live, and its schedule has one at a time",
                            attempt.number, names_.who(attempt.who), names_.event(other)));
        });
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
  std::set<ScheduleId> one_at_a_time_;
  RoutedSchedules routed_;
  ExecutionTracker executions_;
};

}  // namespace

const char* one_live_attempt::not_applicable(const Scenario& scenario) { return lacks_workers(scenario); }

std::unique_ptr<Checker> one_live_attempt::make(const CheckerSetup& setup) {
  return std::make_unique<OneLiveAttempt>(setup);
}

}  // namespace tenure::sim
