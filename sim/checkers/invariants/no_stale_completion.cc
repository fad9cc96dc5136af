// no-stale-completion: what a worker says of an attempt counts until its event is handed out again, and not afterwards.
//
// The last attempt at an event may be extended, completed and failed, however late, and what is said twice gets the
// same answer. What failed may still be completed. Of an older attempt the store says that the event was reissued. An
// attempt that was the last one allowed is dead when a later claim on any event has found that its own is over.
// Reads: what the store answers to workers, holds, failovers.
// Not applicable: no workers.
// One opportunity: an attempt of which a worker says something.
#include <fmt/format.h>

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

enum class Said : std::uint8_t { lives, completed, failed };

std::string_view text_of(Said said) {
  switch (said) {
    case Said::lives: return "a heartbeat";
    case Said::completed: return "a completion";
    case Said::failed: return "a failure";
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
    }
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
      case State::failed: break;
    }
    const ScheduleId schedule = token.event.schedule;
    if (routed_.replaces(schedule) &&
        (answer == Standing::replaced || (answer == Standing::cancelled && said == Said::lives)))
      return true;
    if (last.is_dead || (last.may_be_dead && answer == Standing::dead)) return answer == Standing::dead;
    switch (said) {
      case Said::completed: return answer == Standing::completed;
      case Said::lives:
        return answer == (last.state == State::claimed ? Standing::claimed : Standing::failed);
      case Said::failed: break;
    }
    return answer == Standing::failed || answer == Standing::dead;  // which of them: dead-or-delivered
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
