// no-stale-completion: what a worker says of an attempt counts until its event is handed out again, and not afterwards.
//
// The last attempt at an event may be extended, completed, failed and given back, however late, and what is
// said twice gets the same answer. What failed or was given back may still be completed. Of an older attempt
// the store says that the event was reissued. An attempt that was the last one allowed is dead when a later
// claim on any event has found that its own is over. That an attempt was given back counts, too: the next
// claim on its topic that has room for it hands the event out. Of a schedule that has one at a time and no
// strict order, another one may be in its way: one whose claim stands, or an earlier one that the same answer
// hands out. In strict order it is the first, because it was handed out before, and nothing comes before it
// later. Of a schedule that replaces, it may be gone when another slot has fired. An event that is to give
// way to a later one is over with the attempt, unless it was completed: a heartbeat was told so, or the claim
// stood when another slot of a schedule fired that always replaces.
// Reads: what the store answers to workers, holds, failovers.
// Not applicable: no workers.
// One opportunity: an attempt of which a worker says something; an event that is handed out, or that was given back and
// could be.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/model/describe_delivery.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/execution_tracker.h"
#include "sim/checkers/trackers/routed_schedules.h"

namespace tenure::sim {
namespace {

using reference::Standing;

enum class Said : std::uint8_t { lives, completed, failed, released };

std::string_view text_of(Said said) {
  switch (said) {
    case Said::lives: return "a heartbeat";
    case Said::completed: return "a completion";
    case Said::failed: return "a failure";
    case Said::released: return "a return";
  }
  return "";
}

class NoStaleCompletion final : public Checker {
 public:
  explicit NoStaleCompletion(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes), routed_(setup.scenario), executions_(routed_) {}

  std::uint32_t wants() const override {
    return record_mask<Applied, StoreReplicaStalled, StoreFailedOver>();
  }

  void see(TrueTime now, const Record& record) override {
    const auto* applied = std::get_if<Applied>(&record);
    const auto* states =
        applied != nullptr ? reference_reply<reference::ExecutionStates>(applied->reply) : nullptr;
    if (states != nullptr) judge(now, *applied, states->executions);
    if (applied != nullptr) judge_claimed(now, *applied);
    if (applied != nullptr) judge_claim(now, *applied);
    executions_.see(record);
  }

 private:
  void judge(TrueTime now, const Applied& applied, const std::vector<reference::ExecutionState>& states) {
    if (const auto* asked = reference_request<reference::ExtendExecutions>(applied.request)) {
      for (std::size_t i = 0; i < asked->executions.size() && i < states.size(); ++i)
        judge(now, applied, asked->executions[i], Said::lives, states[i].standing);
    } else if (const auto* ends = reference_request<reference::EndExecutions>(applied.request)) {
      for (std::size_t i = 0; i < ends->ends.size() && i < states.size(); ++i)
        judge(now, applied, ends->ends[i].token, ends->ends[i].failed ? Said::failed : Said::completed,
              states[i].standing);
    } else if (const auto* back = reference_request<reference::ReleaseExecutions>(applied.request)) {
      for (std::size_t i = 0; i < back->executions.size() && i < states.size(); ++i)
        judge(now, applied, back->executions[i], Said::released, states[i].standing);
    }
  }

  // What it must not hand out once more.
  void judge_claimed(TrueTime now, const Applied& applied) {
    const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied.reply);
    if (claimed == nullptr) return;
    for (const reference::Execution& each : claimed->executions) {
      examined();
      const KnownAttempt* last = executions_.find(each.token.event);
      if (last == nullptr || last->is_over() || !last->gives_way) continue;
      violate([&] {
        return Violation{
            now,
            fmt::format(
                "{} is handed out again at {}, though it was to give way to a later one with {}'s attempt",
                names_.event(each.token.event), time_text(now), names_.who(last->who)),
            {},
            {each.token.event.schedule}};
      });
    }
  }

  // What it must not leave lying.
  void judge_claim(TrueTime now, const Applied& applied) {
    const auto* asked = reference_request<reference::ClaimExecutions>(applied.request);
    const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied.reply);
    if (asked == nullptr || claimed == nullptr || claimed->executions.size() >= asked->max) return;
    const auto& given = claimed->executions;
    executions_.begin_claim(asked->topic, applied.store_now);
    executions_.for_each_given_back(
        asked->topic, [&](const reference::EventId& event, const KnownAttempt& attempt) {
          if (is_in_the_way_of(event, attempt, given, applied.store_now)) return;
          examined();
          const bool is_given =
              std::any_of(given.begin(), given.end(),
                          [&](const reference::Execution& each) { return each.token.event == event; });
          if (is_given) return;
          violate([&] {
            return Violation{
                now,
                fmt::format("{}, which {} has given back, was not handed out at {}, and {} had room for it",
                            names_.event(event), names_.who(attempt.who), time_text(now),
                            names_.who(applied.who)),
                {},
                {event.schedule}};
          });
        });
  }

  // Whether another event of the schedule keeps this one from being handed out when it is its turn.
  bool is_in_the_way_of(const reference::EventId& event, const KnownAttempt& attempt,
                        const std::vector<reference::Execution>& given, StoreTime now) const {
    if (!routed_.may_wait_for_another(event.schedule)) return false;
    const bool is_given_before =
        std::any_of(given.begin(), given.end(), [&](const reference::Execution& each) {
          return each.token.event.schedule == event.schedule && each.seq < attempt.seq;
        });
    bool found = is_given_before;
    executions_.for_each_open(event.schedule, [&](const reference::EventId& other, const KnownAttempt& its) {
      found = found || (other != event && executions_.may_stand(its, now));
    });
    return found;
  }

  void judge(TrueTime now, const Applied& applied, const reference::ExecutionToken& token, Said said,
             Standing answer) {
    const KnownAttempt* last = executions_.find(token.event);
    if (last == nullptr && executions_.has_forgotten()) return;
    examined();
    const bool stale = last == nullptr || !last->is_of(token);
    const bool good = stale ? answer == Standing::reissued || answer == Standing::unknown
                            : may_answer(*last, token, said, answer);
    if (good) return;
    violate([&] {
      std::string which;
      if (last != nullptr && stale)
        which = fmt::format(", and attempt {} is {}'s", last->number, names_.who(last->who));
      else if (stale)
        which = ", and nobody has it";
      return Violation{now,
                       fmt::format("{} of {}, attempt {} at {}, was answered as {} at {}{}", text_of(said),
                                   names_.who(applied.who), token.attempt, names_.event(token.event),
                                   tenure::name_of(answer), time_text(now), which),
                       {},
                       {token.event.schedule}};
    });
  }

  // Of the event's last attempt.
  bool may_answer(const KnownAttempt& last, const reference::ExecutionToken& token, Said said,
                  Standing answer) const {
    using State = KnownAttempt::State;
    if (executions_.may_be_pruned(last) && answer == Standing::unknown) return true;
    switch (last.state) {
      case State::completed: return answer == Standing::completed;
      case State::dead: return answer == Standing::dead;
      case State::replaced: return answer == Standing::replaced;
      case State::claimed:
      case State::failed:
      case State::released: break;
    }
    const ScheduleId schedule = token.event.schedule;
    if (last.gives_way && said != Said::completed)
      return answer == Standing::replaced || (answer == Standing::cancelled && said == Said::lives);
    if (routed_.replaces(schedule) &&
        (answer == Standing::replaced || (answer == Standing::cancelled && said == Said::lives)))
      return true;
    if (last.is_dead || (last.may_be_dead && answer == Standing::dead)) return answer == Standing::dead;
    switch (said) {
      case Said::completed: return answer == Standing::completed;
      case Said::lives: return answer == ended_or(last, Standing::claimed);
      case Said::released: return answer == ended_or(last, Standing::released);
      case Said::failed: break;
    }
    if (last.state == State::released) return answer == Standing::released;
    return answer == Standing::failed || answer == Standing::dead;  // which of them: dead-or-delivered
  }
  // Of an attempt that is not over for good: how it has ended, or this if it has not.
  static Standing ended_or(const KnownAttempt& last, Standing standing) {
    if (last.state == KnownAttempt::State::claimed) return standing;
    return last.state == KnownAttempt::State::failed ? Standing::failed : Standing::released;
  }

  Names names_;
  RoutedSchedules routed_;
  ExecutionTracker executions_;
};

}  // namespace

const char* no_stale_completion::not_applicable(const Scenario& scenario) { return lacks_workers(scenario); }

std::unique_ptr<Checker> no_stale_completion::make(const CheckerSetup& setup) {
  return std::make_unique<NoStaleCompletion>(setup);
}

}  // namespace tenure::sim
