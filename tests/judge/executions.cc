// What the store hands out to workers, and what it makes of what they say (docs/executions.md): what is known of each
// event is followed through the whole history.
#include "tests/judge/executions.h"

#include <algorithm>
#include <functional>
#include <string>

#include "core/model/describe.h"
#include "tests/judge/desk.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

using reference::EventId;
using reference::ExecutionToken;
using reference::Standing;

const reference::ExecutionStates* states_in(const KeptApplied& applied) {
  return as_reference<reference::ExecutionStates>(applied.reply);
}

// Events that somebody has committed for others at some time, on any branch: only of these anything is said.
class Committed {
 public:
  void note(const KeptApplied& applied) {
    for (const Intake::Put& each : intake_.take(applied)) {
      if (each.rules.is_own_work())
        rules_.erase(each.event);
      else
        rules_[each.event] = each.rules;
    }
  }
  void stalled() { replica_ = intake_; }
  void failed_over() { intake_ = replica_; }
  const Rules* find(const EventId& event) const {
    const auto found = rules_.find(event);
    return found != rules_.end() ? &found->second : nullptr;
  }

 private:
  Intake intake_;
  Intake replica_;
  std::map<EventId, Rules> rules_;
};

// Goes through what the store did, with what is known before each of its acts.
using Look = std::function<void(const Kept&, std::size_t place, const KeptApplied&, Desk&, const Committed&)>;
Desk go_through(const Case& run, const Look& before,
                const std::function<void(const Kept&, Desk&)>& after = {}) {
  Desk desk(run.scenario);
  Desk replica = desk;
  Committed committed;
  bool stalled = false;
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const Kept& kept = run.history.facts[place];
    if (std::holds_alternative<sim::StoreReplicaStalled>(kept.fact)) {
      replica = desk;
      committed.stalled();
      stalled = true;
    }
    if (std::holds_alternative<sim::StoreFailedOver>(kept.fact) && stalled) {
      replica.keep_what_was_known_to(desk);
      desk = replica;
      committed.failed_over();
      stalled = false;
    }
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr) continue;
    committed.note(*applied);
    before(kept, place, *applied, desk, committed);
    desk.note(*applied);
    if (after) after(kept, desk);
  }
  return desk;
}

}  // namespace

Duration wait_after(const Delivery& delivery, std::uint32_t failures) {
  Duration wait = delivery.back_off;
  for (std::uint32_t i = 1; i < failures && wait < delivery.longest_back_off; ++i) wait = wait * 2;
  return std::min(wait, std::max(delivery.longest_back_off, delivery.back_off));
}

std::vector<std::pair<ExecutionToken, Standing>> ends_in(const KeptApplied& applied) {
  std::vector<std::pair<ExecutionToken, Standing>> ends;
  const auto* states = states_in(applied);
  if (states == nullptr) return ends;
  const auto add = [&](const ExecutionToken& token) {
    if (ends.size() < states->executions.size())
      ends.emplace_back(token, states->executions[ends.size()].standing);
  };
  if (const auto* asked = as_reference<reference::EndExecutions>(applied.request))
    for (const reference::ExecutionEnd& end : asked->ends) add(end.token);
  if (const auto* asked = as_reference<reference::ReleaseExecutions>(applied.request))
    for (const ExecutionToken& token : asked->executions) add(token);
  return ends;
}

// ---- no-stale-completion -----------------------------------------------------------------------------------

namespace {

// Why an event that is not over may not be handed out now, beside these; empty: it may.
std::string why_not(const Desk& desk, const Rules& rules, const ExecutionToken& token,
                    const std::vector<EventId>& given, StoreTime now) {
  const Piece* piece = desk.find(token.event);
  const std::uint32_t tries = piece == nullptr ? token.attempt : piece->tries(token.attempt);
  if (tries > rules.delivery.attempts) return "has had all its attempts";
  if (piece == nullptr || !piece->last) {
    if (token.attempt != (piece == nullptr ? 0 : piece->before) + 1) return "has had no attempt";
  } else {
    const Try& last = *piece->last;
    if (desk.is_at_work(*piece, now)) return "is being worked on";
    if (last.failed && now < last.begins + last.length) return "is to wait";
    if (token.attempt != last.token.attempt + 1) return "has had another number of attempts";
  }
  return rules.is_single() && desk.has_to_wait(token.event, given, now) ? "is one of two of its schedule"
                                                                        : "";
}

// Of how many attempts a worker says something in this request.
std::size_t said_in(const KeptApplied& applied) {
  if (const auto* asked = as_reference<reference::ExtendExecutions>(applied.request))
    return asked->executions.size();
  if (const auto* asked = as_reference<reference::EndExecutions>(applied.request)) return asked->ends.size();
  const auto* asked = as_reference<reference::ReleaseExecutions>(applied.request);
  return asked != nullptr ? asked->executions.size() : 0;
}

class Answers {
 public:
  void judge(const Kept& kept, const KeptApplied& applied, Desk& desk, const Committed& committed) {
    std::vector<reference::ExecutionState> states;
    if (const auto* answer = states_in(applied)) {
      states = answer->executions;
      if (states.size() != said_in(applied))
        wrongs_.push_back({kept.at, "an answer is for more or fewer than asked"});
    }
    if (const auto* asked = as_reference<reference::ExtendExecutions>(applied.request))
      for (std::size_t i = 0; i < std::min(asked->executions.size(), states.size()); ++i) {
        const reference::ExecutionState& state = states[i];
        judge_word(kept, applied, desk, asked->executions[i], Word::lives, state);
        const auto length = desk.length_of(asked->executions[i], asked->duration);
        if ((state.standing == Standing::claimed || state.standing == Standing::cancelled) && length &&
            state.until != applied.store_now + *length)
          wrong(kept, asked->executions[i].event, "has a claim of another length than was asked for");
      }
    if (const auto* asked = as_reference<reference::EndExecutions>(applied.request))
      for (std::size_t i = 0; i < std::min(asked->ends.size(), states.size()); ++i)
        judge_word(kept, applied, desk, asked->ends[i].token,
                   asked->ends[i].failed ? Word::failed : Word::done, states[i]);
    if (const auto* asked = as_reference<reference::ReleaseExecutions>(applied.request))
      for (std::size_t i = 0; i < std::min(asked->executions.size(), states.size()); ++i)
        judge_word(kept, applied, desk, asked->executions[i], Word::returned, states[i]);
    judge_claim(kept, applied, desk, committed);
  }
  std::vector<Wrong> take() { return std::move(wrongs_); }

 private:
  void wrong(const Kept& kept, const EventId& event, const std::string& why) {
    wrongs_.push_back({kept.at, describe(event) + " " + why});
  }
  void judge_word(const Kept& kept, const KeptApplied& applied, const Desk& desk, const ExecutionToken& token,
                  Word word, const reference::ExecutionState& state) {
    if (!desk.is_right(token, word, state.standing))
      return wrong(kept, token.event, "has a worker that is given an answer that is none");
    if (state.standing != Standing::failed) return;
    const Piece& piece = *desk.find(token.event);
    const Try& last = *piece.last;
    const StoreTime until =
        last.failed ? last.begins + last.length
                    : applied.store_now + wait_after(piece.rules.delivery, piece.tries(token.attempt));
    if (state.until != until) wrong(kept, token.event, "is said to wait for another time than it does");
  }
  void judge_claim(const Kept& kept, const KeptApplied& applied, Desk& desk, const Committed& committed) {
    const auto* asked = as_reference<reference::ClaimExecutions>(applied.request);
    const auto* claimed = as_reference<reference::ClaimedExecutions>(applied.reply);
    if (asked == nullptr || claimed == nullptr) return;
    desk.before_claim(asked->topic, applied.store_now);
    std::set<std::uint64_t> given;
    std::vector<EventId> handed_out;
    for (const reference::Execution& each : claimed->executions) {
      const EventId& event = each.token.event;
      const Rules* rules = committed.find(event);
      if (rules == nullptr || rules->delivery.kind != Delivery::Kind::pull) {
        wrong(kept, event, "is no event for workers, and one has it");
        continue;
      }
      if (desk.find(event) == nullptr)
        wrong(kept, event, "is not there, and a worker has it");
      else if (const auto why = why_not(desk, *rules, each.token, handed_out, applied.store_now);
               !why.empty())
        wrong(kept, event, why + ", and a worker is given it");
      handed_out.push_back(event);
      if (each.version != rules->version) wrong(kept, event, "has the number of another version");
      if (each.until != applied.store_now + asked->duration)
        wrong(kept, event, "is claimed for another time than was asked for");
      const Piece* piece = desk.find(event);
      if (piece == nullptr) continue;
      if (!given.empty() && piece->number <= *given.rbegin()) wrong(kept, event, "comes after a later one");
      if (desk.passes_an_earlier_one(event)) wrong(kept, event, "is not the first, and is strict about it");
      given.insert(piece->number);
    }
    if (claimed->executions.size() > asked->max)
      wrong(kept, claimed->executions.back().token.event, "is one too many");
    const bool has_room = claimed->executions.size() < asked->max;
    for (const EventId& event : desk.kept_back(asked->topic, given, has_room, applied.store_now))
      wrong(kept, event, "is free, and a worker that asks is not given it");
  }

  std::vector<Wrong> wrongs_;
};

}  // namespace

std::vector<Wrong> no_stale_completion(const Case& run) {
  Answers answers;
  go_through(run, [&](const Kept& kept, std::size_t, const KeptApplied& applied, Desk& desk,
                      const Committed& committed) { answers.judge(kept, applied, desk, committed); });
  return answers.take();
}

// ---- for the invariants of other files -----------------------------------------------------------------------

Queue queue_of(ScheduleId schedule, const Rules& rules) {
  return {schedule, rules.delivery.kind, rules.delivery.destination};
}

namespace {

// Of each queue, the number of what is the first.
std::map<Queue, std::uint64_t> firsts_of(const Desk& desk) {
  std::map<Queue, std::uint64_t> firsts;
  for (const auto& [event, piece] : desk.pieces()) {
    const auto [first, is_new] = firsts.try_emplace(queue_of(event.schedule, piece.rules), piece.number);
    if (!is_new) first->second = std::min(first->second, piece.number);
  }
  return firsts;
}

}  // namespace

Remains remains(const Case& run) {
  Remains found;
  std::map<Queue, std::uint64_t> before;
  const Desk desk = go_through(
      run,
      [&](const Kept&, std::size_t, const KeptApplied&, Desk& now, const Committed&) {
        before = firsts_of(now);
      },
      [&](const Kept& kept, const Desk& now) {
        const auto after = firsts_of(now);
        for (const auto& [queue, first] : before) {
          const auto left = after.find(queue);
          if (left == after.end() || left->second != first) found.first_left[queue] = kept.at;
        }
      });
  for (const auto& [event, piece] : desk.pieces()) found.there.insert(event);
  return found;
}

std::map<std::size_t, std::vector<EventId>> dead_too_early(const Case& run) {
  std::map<std::size_t, std::vector<EventId>> found;
  go_through(run, [&](const Kept&, std::size_t place, const KeptApplied& applied, const Desk& desk,
                      const Committed&) {
    for (const auto& [token, standing] : ends_in(applied)) {
      const Piece* piece = desk.find(token.event);
      if (standing != Standing::dead || piece == nullptr || !piece->last) continue;
      if (piece->tries(token.attempt) < piece->rules.delivery.attempts) found[place].push_back(token.event);
    }
  });
  return found;
}

// Manual runs and events of other versions count; those of the leader's own work do not.
std::vector<Wrong> wrong_overlaps(const Case& run) {
  std::vector<Wrong> wrongs;
  go_through(run, [&](const Kept& kept, std::size_t, const KeptApplied& applied, const Desk& desk,
                      const Committed&) {
    const auto* commit = as_reference<reference::CommitFires>(applied.request);
    const auto* committed = as_reference<reference::Committed>(applied.reply);
    if (commit == nullptr || committed == nullptr) return;
    std::map<ScheduleId, std::size_t> more;
    for (std::size_t i = 0; i < commit->rows.size() && i < committed->rows.size(); ++i) {
      const reference::LedgerRow& row = commit->rows[i];
      const Rules rules = desk.rules_of(row.schedule, row.version);
      if (rules.is_own_work()) continue;
      const std::size_t there = desk.count(row.schedule) + more[row.schedule];
      std::size_t most = SIZE_MAX;  // beside which it may fire
      if (rules.overlap == Overlap::skip) most = 0;
      if (rules.overlap == Overlap::queue_one) most = 1;
      const bool is_written = committed->rows[i] == reference::RowResult::covered;
      const bool fires = is_written && row.what == reference::Disposition::fired;
      if (fires && there > most)
        wrongs.push_back({kept.at, describe(row.slot) + " fires, and should not beside what is there"});
      if (committed->rows[i] == reference::RowResult::overlapped && there <= most)
        wrongs.push_back({kept.at, describe(row.slot) + " is overlapped by nothing"});
      if (is_written && row.what == reference::Disposition::overlapped)
        wrongs.push_back({kept.at, describe(row.from) + " is overlapped by its leader's word"});
      if (fires) ++more[row.schedule];
    }
  });
  return wrongs;
}

// ---- one-live-attempt --------------------------------------------------------------------------------------

// What a failover loses is with its worker all the same. Of what was over it may bring something back: that is in
// nobody's hands.
std::vector<Wrong> one_live_attempt(const Case& run) {
  std::vector<Wrong> wrongs;
  bool went_back = false;
  Desk desk(run.scenario);
  Desk replica = desk;
  Committed committed;
  bool stalled = false;
  for (const Kept& kept : run.history.facts) {
    if (std::holds_alternative<sim::StoreReplicaStalled>(kept.fact)) {
      replica = desk;
      committed.stalled();
      stalled = true;
    }
    if (std::holds_alternative<sim::StoreFailedOver>(kept.fact) && stalled) {
      desk.go_back_to_versions_of(replica);
      committed.failed_over();
      stalled = false;
    }
    went_back = went_back || std::holds_alternative<sim::StoreFailedOver>(kept.fact);
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr) continue;
    committed.note(*applied);
    if (const auto* claimed = as_reference<reference::ClaimedExecutions>(applied->reply)) {
      desk.before_claim(as_reference<reference::ClaimExecutions>(applied->request)->topic,
                        applied->store_now);
      std::vector<EventId> given;
      for (const reference::Execution& each : claimed->executions) {
        const EventId& event = each.token.event;
        const Rules* rules = committed.find(event);
        if (rules == nullptr) continue;
        const bool is_gone = desk.find(event) == nullptr && desk.departure(event) != nullptr;
        std::string why;
        if (!is_gone)
          why = why_not(desk, *rules, each.token, given, applied->store_now);
        else if (rules->is_single() && desk.has_to_wait(event, given, applied->store_now))
          why = "is one of two of its schedule";
        else if (!went_back && desk.departure(event)->how != Standing::replaced)
          why = "is over";
        given.push_back(event);
        if (!why.empty())
          wrongs.push_back(
              {kept.at, describe(event) + " is handed to " + describe(applied->who) + ", and " + why});
      }
    }
    desk.note(*applied);
  }
  return wrongs;
}

}  // namespace tenure::judging
