// no-stale-completion: what a worker says of an attempt counts until its event is handed out again, and not afterwards.
//
// The last attempt at an event may be extended, completed, failed and given back, however late, and what is said twice
// gets the same answer. What failed or was given back may still be completed. Of an older attempt the store says that
// the event was reissued. An attempt that was the last one allowed is dead when it fails, or when a later claim on its
// topic finds that its own is over. Of a schedule that replaces, a slot that fires takes the place of earlier ones:
// those that nobody works on are gone, and those of workers are over with the attempt, unless it is completed. Manual
// runs stay. Rules are those of the version that fired an event, of a slot that replaces its own.
//
// What is handed out is in the store, and for workers: it was committed so, is not over, and no failover has lost that.
// It has no attempt that is live, and whatever else one-live-attempt asks, by what the store knows: a failover takes
// its attempts back. Of an event that nobody has committed for others the answer is that it is unknown.
//
// What counts is also that an event can be claimed. A claim that has room hands out all of its topic that can, and one
// that has none passes over no earlier one. It hands out none twice, and no more than it was asked for. An event can be
// claimed while no claim on it stands, and it waits for no back-off; where the version that fired it has one at a time,
// while none is at work of its schedule that is earlier, or has to be alone, too; and in strict order, if it is the
// first that is there for workers. An answer names the version that fired the event, and says until when the claim
// stands, or the event waits after a failure.
// Reads: commits, what the store answers to workers, holds, failovers. Not applicable: no workers. One opportunity: an
// attempt of which a worker says something; an event that is handed out, or could be.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/claim_rules.h"
#include "sim/checkers/trackers/execution_tracker.h"

namespace tenure::sim {
namespace {

using reference::Standing;

std::string_view text_of(Said said) {
  switch (said) {
    case Said::lives: return "a heartbeat";
    case Said::completed: return "a completion";
    case Said::failed: return "a failure";
    case Said::released: return "a return";
  }
  return "";
}

class NoStaleCompletion final : public CheckerOf<NoStaleCompletion> {
 public:
  explicit NoStaleCompletion(const CheckerSetup& setup)
      : CheckerOf(setup), rules_(run_.rules()), executions_(run_.executions()) {}

  void on(TrueTime now, const Applied& applied) {
    const auto* states = reference_reply<reference::ExecutionStates>(applied.reply);
    if (states != nullptr) judge_answers(now, applied, states->executions.size());
    const auto* asked = reference_request<reference::ClaimExecutions>(applied.request);
    const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied.reply);
    if (asked != nullptr && claimed != nullptr) judge_claim(now, applied, *asked, claimed->executions);
  }

 private:
  using Given = std::vector<reference::Execution>;

  void judge_answers(TrueTime now, const Applied& applied, std::size_t answered) {
    const std::size_t said = said_of_attempts(applied.request).size();
    if (said != answered)
      violate(now, {}, {},
              fmt::format("what {} said of {} attempts at {} was answered for {}", names_.who(applied.who),
                          said, time_text(now), answered));
    const auto* heartbeat = reference_request<reference::ExtendExecutions>(applied.request);
    for_each_answer(applied, [&](const reference::ExecutionToken& token, Said what, const auto& state) {
      judge(now, applied, token, what, state);
      if (heartbeat != nullptr) judge_claim_until(now, applied, token, state, heartbeat->duration);
    });
  }

  // ---- what is handed out ----

  void judge_claim(TrueTime now, const Applied& applied, const reference::ClaimExecutions& asked,
                   const Given& given) {
    std::vector<reference::EventId> handed_out;
    for (const reference::Execution& each : given) {
      examined();
      const EventRules::Rules* rules = rules_.find(each.token.event);
      if (rules == nullptr || rules->delivery.kind != Delivery::Kind::pull) {
        blame(now, each.token.event, "is handed out", "though nobody has committed it for workers");
        continue;
      }
      judge_hand_out(now, applied, each.token, *rules, handed_out);
      handed_out.push_back(each.token.event);
      if (const reference::EventId* first = first_before(each.token.event, *rules))
        blame(now, each.token.event, "is handed out",
              "in strict order, and " + names_.event(*first) + " is not over");
      if (each.version != rules_.version(each.token.event))
        blame(now, each.token.event, "is handed out", "as one of another version than has fired it");
      if (each.until != applied.store_now + asked.duration)
        blame(now, each.token.event, "is handed out", "for another time than was asked for");
    }
    if (given.size() > asked.max)
      blame(now, given.back().token.event, "is handed out", "which is more than was asked for");
    judge_left_lying(now, applied, asked, given);
  }

  // `given`: what the answer has handed out before.
  void judge_hand_out(TrueTime now, const Applied& applied, const reference::ExecutionToken& token,
                      const EventRules::Rules& rules, const std::vector<reference::EventId>& given) {
    if (!executions_.is_here(token.event)) {
      const EndedAttempt* ended = executions_.ended(token.event);
      if (ended == nullptr)
        blame(now, token.event, "is handed out", "though it is not in the store");
      else
        blame(now, token.event, "is handed out",
              ended->how == Standing::replaced ? "though a later one has taken its place"
                                               : "after it was over");
      return;
    }
    for (const std::string& how : wrongs_of_attempt(executions_, names_, rules, token, applied.store_now))
      blame(now, token.event, "is handed out", how);
    const std::string beside =
        wrong_beside_others(executions_, names_, rules, token.event, given, applied.store_now);
    if (!beside.empty()) blame(now, token.event, "is handed out", beside);
  }

  // In strict order, one that must be over before; nullptr: there is none.
  const reference::EventId* first_before(const reference::EventId& event,
                                         const EventRules::Rules& rules) const {
    if (!rules.delivery.strict_order || !executions_.is_here(event)) return nullptr;
    for (const auto& [position, other] : executions_.of_schedule(event.schedule)) {
      if (other == event) return nullptr;
      if (executions_.pulled().contains(position)) return &other;
    }
    return nullptr;
  }
  // What it must not leave lying, or pass over.
  void judge_left_lying(TrueTime now, const Applied& applied, const reference::ClaimExecutions& asked,
                        const Given& given) {
    std::uint64_t last = given.size() < asked.max ? UINT64_MAX : 0;  // it looks no further
    std::map<std::uint64_t, reference::EventId> in_order;
    for (const reference::Execution& each : given) {
      const std::uint64_t position = executions_.position(each.token.event);
      if (position == 0) continue;
      if (in_order.contains(position))
        blame(now, each.token.event, "is handed out", "twice in one answer");
      else if (!in_order.empty() && position < in_order.rbegin()->first)
        blame(now, each.token.event, "is handed out", "after " + names_.event(in_order.rbegin()->second));
      in_order.emplace(position, each.token.event);
      last = std::max(last, position);
    }
    for (const auto& place : executions_.pulled()) {  // clang 14 captures no structured bindings
      const std::uint64_t position = place.first;
      const reference::EventId& event = place.second;
      if (position > last) break;
      if (in_order.contains(position) || run_.topic(event.schedule) != asked.topic) continue;
      if (!can_be_claimed(event, position, in_order, applied.store_now)) continue;
      examined();
      const KnownAttempt* attempt = executions_.find(event);
      const std::string known = attempt != nullptr && attempt->state == KnownAttempt::State::released
                                    ? fmt::format(", which {} has given back,", names_.who(attempt->who))
                                    : "";
      const bool has_room = given.size() < asked.max;
      violate(
          now, {}, {event.schedule},
          fmt::format("{}{} was not handed out at {}, and {} {}", names_.event(event), known, time_text(now),
                      names_.who(applied.who), has_room ? "had room for it" : "was given a later one"));
    }
  }
  bool can_be_claimed(const reference::EventId& event, std::uint64_t position,
                      const std::map<std::uint64_t, reference::EventId>& given, StoreTime now) const {
    if (const KnownAttempt* attempt = executions_.find(event)) {
      if (executions_.stands(*attempt, now)) return false;
      if (attempt->state == KnownAttempt::State::failed && now < attempt->until) return false;
      const bool is_over =
          attempt->state == KnownAttempt::State::claimed && (attempt->gives_way || was_last(*attempt, event));
      if (is_over) return false;  // a later claim will find that
    }
    const EventRules::Rules& rules = executions_.rules(event);
    if (!rules.one_at_a_time()) return true;
    if (first_before(event, rules) != nullptr) return false;
    const ExecutionTracker::Events& own = executions_.of_schedule(event.schedule);
    return std::none_of(own.begin(), own.end(), [&](const auto& other) {
      if (other.first < position && given.contains(other.first)) return true;
      const KnownAttempt* attempt = executions_.find(other.second);
      return attempt != nullptr && executions_.stands(*attempt, now) &&
             executions_.has_to_wait_for(event, other.second);
    });
  }

  // ---- what is answered ----

  void judge(TrueTime now, const Applied& applied, const reference::ExecutionToken& token, Said said,
             const reference::ExecutionState& state) {
    examined();
    const KnownAttempt* last = executions_.find(token.event);
    const Standing answer = state.standing;
    if (may_answer(token, said, answer)) {
      if (answer == Standing::failed) judge_back_off(now, applied, *last, token, state);
      return;
    }
    std::string which;
    if (last != nullptr && !last->is_of(token))
      which = fmt::format(", and attempt {} is {}'s", last->number, names_.who(last->who));
    else if (last == nullptr)
      which = ", and nobody has it";
    violate(now, {}, {token.event.schedule},
            fmt::format("{} of {}, attempt {} at {}, was answered as {} at {}{}", text_of(said),
                        names_.who(applied.who), token.attempt, names_.event(token.event),
                        tenure::name_of(answer), time_text(now), which));
  }

  bool may_answer(const reference::ExecutionToken& token, Said said, Standing answer) const {
    if (const KnownAttempt* last = executions_.find(token.event); last != nullptr && last->is_of(token)) {
      const Standing right = answer_to(*last, token.event, said);
      // Whether it is dead too early: dead-or-delivered.
      return answer == right || (answer == Standing::dead && right == Standing::failed &&
                                 said == Said::failed && last->state == KnownAttempt::State::claimed);
    }
    if (executions_.is_here(token.event)) return answer == Standing::reissued;
    const EndedAttempt* ended = executions_.ended(token.event);
    if (ended == nullptr) return answer == Standing::unknown;
    if (executions_.may_be_pruned(*ended) && answer == Standing::unknown) return true;
    return answer == (ended->is_of(token) ? ended->how : Standing::reissued);
  }
  // Of the last attempt at an event that is there.
  Standing answer_to(const KnownAttempt& last, const reference::EventId& event, Said said) const {
    if (said == Said::completed) return Standing::completed;
    if (last.state == KnownAttempt::State::failed) return Standing::failed;
    if (last.state == KnownAttempt::State::released) return Standing::released;
    if (said == Said::lives) return last.gives_way ? Standing::cancelled : Standing::claimed;
    if (last.gives_way) return Standing::replaced;
    if (said == Said::released) return Standing::released;
    return was_last(last, event) ? Standing::dead : Standing::failed;
  }

  bool was_last(const KnownAttempt& attempt, const reference::EventId& event) const {
    return attempt.spent() >= executions_.rules(event).delivery.attempts;
  }

  void judge_claim_until(TrueTime now, const Applied& applied, const reference::ExecutionToken& token,
                         const reference::ExecutionState& state, Duration asked) {
    const bool stands = state.standing == Standing::claimed || state.standing == Standing::cancelled;
    if (asked == Duration{}) {
      const KnownAttempt* last = executions_.find(token.event);
      if (last == nullptr || !last->is_of(token)) return;  // claimed before what is known
      asked = last->length();
    }
    if (!stands || state.until == applied.store_now + asked) return;
    blame(now, token.event, "has a claim that was extended", "for another time than was asked for");
  }
  void judge_back_off(TrueTime now, const Applied& applied, const KnownAttempt& last,
                      const reference::ExecutionToken& token, const reference::ExecutionState& state) {
    StoreTime until = last.until;  // it is said once more
    if (last.state == KnownAttempt::State::claimed)
      until = applied.store_now + back_off_after(executions_.rules(token.event).delivery, last.spent());
    if (state.until == until) return;
    blame(
        now, token.event, "has failed, and its worker was told so",
        fmt::format("with a wait until {}, which should end at {}", describe(state.until), describe(until)));
  }

  void blame(TrueTime now, const reference::EventId& event, std::string_view what, const std::string& how) {
    violate(now, {}, {event.schedule},
            fmt::format("{} {} at {}, {}", names_.event(event), what, time_text(now), how));
  }

  const EventRules& rules_;
  const ExecutionTracker& executions_;
};

}  // namespace

TENURE_MADE_UNLESS(lacks_workers, no_stale_completion, NoStaleCompletion)

}  // namespace tenure::sim
