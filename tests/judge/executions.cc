// What the store hands out to workers, and what it makes of what they say (docs/executions.md): what is known of each
// event is followed through the whole history.
#include "tests/judge/executions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/model/describe.h"
#include "tests/judge/invariants.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

using reference::EventId;
using reference::ExecutionToken;
using reference::Standing;

// What the scenario says of a schedule, in any of its versions.
struct Terms {
  std::string topic = {};
  std::uint32_t least_attempts = UINT32_MAX;
  std::uint32_t most_attempts = 0;
  bool one_at_a_time = false;  // by all of them
  // By one of them, in an order that is not strict: one that is free may have to wait for one at work.
  bool takes_turns = false;
  bool replaces = false;      // by one of them
  bool only_replaces = true;  // by all of them
};
std::map<ScheduleId, Terms> terms_of(const sim::Scenario& scenario) {
  std::map<ScheduleId, Terms> all;
  const auto add = [&](ScheduleId schedule, const Definition& definition) {
    const bool single = definition.overlap != Overlap::allow || definition.delivery.strict_order;
    const auto [place, is_first] = all.try_emplace(schedule);
    Terms& terms = place->second;
    terms.one_at_a_time = single && (is_first || terms.one_at_a_time);
    const bool ordered = definition.delivery.strict_order;
    terms.takes_turns = terms.takes_turns || (definition.overlap != Overlap::allow && !ordered);
    terms.least_attempts = std::min(terms.least_attempts, definition.delivery.attempts);
    terms.most_attempts = std::max(terms.most_attempts, definition.delivery.attempts);
    terms.only_replaces = terms.only_replaces && definition.overlap == Overlap::replace;
    terms.replaces = terms.replaces || definition.overlap == Overlap::replace;
  };
  std::uint32_t next = 0;
  for (const sim::ScheduleSetting& each : scenario.schedules) {
    add(ScheduleId{next}, each.definition);
    all[ScheduleId{next++}].topic = each.payload.topic;
  }
  for (const sim::ChangeSetting& change : scenario.changes) {
    if (change.action == sim::ChangeAction::create || change.action == sim::ChangeAction::update)
      add(change.schedule, change.definition);
    if (change.action == sim::ChangeAction::create) all[change.schedule].topic = change.payload.topic;
  }
  return all;
}

// The last attempt at one event.
struct Last {
  ExecutionToken token;
  std::optional<Standing> over;  // how it ended for good; completed, dead or replaced
  bool failed = false;
  bool given_back = false;
  std::set<std::uint32_t> returns = {};  // of this attempt and those before: their numbers
  bool left_to_die = false;              // it was the last, and another claim came when its own was over
  // For a later event: its worker has heard so, or that one fired while it was at work.
  bool makes_room = false;
  bool may_make_room = false;  // likewise, if that one's version has it so
  std::uint64_t place = 0;     // of the event, among those that wait
  bool displaced = false;      // nobody was at it when another slot fired, and it may be gone
  StoreTime begins;            // of the claim, or of the back-off
  Duration length;

  bool runs(StoreTime now, bool held) const {
    return !over && !failed && !given_back && !left_to_die && !displaced && (held || now < begins + length);
  }
  // Attempts that count.
  std::uint32_t tries(std::uint32_t attempt) const {
    std::uint32_t count = 0;
    for (std::uint32_t number = 1; number <= attempt; ++number)
      if (!returns.contains(number)) ++count;
    return count;
  }
};

struct Desk {
  std::map<EventId, Last> events;
  bool held = false;
};

const reference::ExecutionStates* states_in(const KeptApplied& applied) {
  return as_reference<reference::ExecutionStates>(applied.reply);
}
const reference::ClaimedExecutions* claimed_in(const KeptApplied& applied) {
  return as_reference<reference::ClaimedExecutions>(applied.reply);
}

// When somebody claims: what the clock went back behind is counted again, and last attempts of that topic that are over
// have died.
void before_claim(Desk& desk, const std::map<ScheduleId, Terms>& terms, const std::string& topic,
                  StoreTime now) {
  for (auto& [event, last] : desk.events) {
    if (last.over) continue;
    if (now < last.begins) last.begins = now;
    const auto of = terms.find(event.schedule);
    if (of != terms.end() && of->second.topic != topic) continue;
    const bool is_at_work =
        !last.failed && !last.given_back && (desk.held || now < last.begins + last.length);
    if (last.may_make_room && !is_at_work) last.displaced = true;
    const bool was_last = of != terms.end() && last.tries(last.token.attempt) >= of->second.least_attempts;
    if (was_last && !last.failed && !last.given_back && !last.runs(now, desk.held)) last.left_to_die = true;
  }
}

void note_answer(Desk& desk, const ExecutionToken& token, const reference::ExecutionState& state,
                 StoreTime now, std::optional<Duration> extended) {
  const auto found = desk.events.find(token.event);
  if (found == desk.events.end() || !(found->second.token == token) || found->second.over) return;
  Last& last = found->second;
  switch (state.standing) {
    case Standing::claimed:
    case Standing::cancelled:
      if (!extended) return;
      if (state.standing == Standing::cancelled) last.makes_room = last.may_make_room = true;
      last.begins = now;
      last.length = *extended;
      last.left_to_die = last.displaced = false;
      return;
    case Standing::failed:
      if (last.failed || last.given_back) return;
      last.failed = true;
      last.begins = now;
      last.length = state.until - now;
      return;
    case Standing::completed:
    case Standing::dead:
    case Standing::replaced: last.over = state.standing; return;
    case Standing::released:
      if (last.failed || last.given_back) return;
      last.given_back = true;
      last.left_to_die = false;
      last.returns.insert(token.attempt);
      last.begins = now;
      last.length = {};
      return;
    case Standing::reissued:
    case Standing::unknown: return;
  }
}

// A slot of the schedule fires. What somebody asked for by hand stays.
void displace(Desk& desk, const std::map<ScheduleId, Terms>& terms, ScheduleId schedule, StoreTime now) {
  const auto of = terms.find(schedule);
  if (of == terms.end() || !of->second.replaces) return;
  for (auto& [event, last] : desk.events) {
    if (event.schedule != schedule || event.run != 0 || last.over) continue;
    const bool is_at_work = !last.failed && !last.given_back && now < last.begins + last.length;
    if (!is_at_work) last.displaced = true;
    if (is_at_work) last.may_make_room = true;
    if (is_at_work && of->second.only_replaces) last.makes_room = true;
  }
}

void note(Desk& desk, const std::map<ScheduleId, Terms>& terms, const KeptApplied& applied) {
  const StoreTime now = applied.store_now;
  if (const auto* asked = as_reference<reference::ClaimExecutions>(applied.request)) {
    before_claim(desk, terms, asked->topic, now);
    if (const auto* claimed = claimed_in(applied))
      for (const reference::Execution& each : claimed->executions) {
        Last& last = desk.events[each.token.event];
        std::set<std::uint32_t> returns = std::move(last.returns);
        // It begins only now. What a failover has lost may have had the number.
        returns.erase(returns.lower_bound(each.token.attempt), returns.end());
        last = {.token = each.token,
                .over = {},
                .returns = std::move(returns),
                .place = each.seq,
                .begins = now,
                .length = asked->duration};
      }
  }
  if (const auto* asked = as_reference<reference::ExtendExecutions>(applied.request))
    for (std::size_t i = 0; i < asked->executions.size(); ++i)
      note_answer(desk, asked->executions[i], states_in(applied)->executions[i], now, asked->duration);
  if (const auto* asked = as_reference<reference::EndExecutions>(applied.request))
    for (std::size_t i = 0; i < asked->ends.size(); ++i)
      note_answer(desk, asked->ends[i].token, states_in(applied)->executions[i], now, std::nullopt);
  if (const auto* asked = as_reference<reference::ReleaseExecutions>(applied.request))
    for (std::size_t i = 0; i < asked->executions.size(); ++i)
      note_answer(desk, asked->executions[i], states_in(applied)->executions[i], now, std::nullopt);
  if (const auto* committed = as_reference<reference::Committed>(applied.reply)) {
    const auto& rows = as_reference<reference::CommitFires>(applied.request)->rows;
    for (std::size_t i = 0; i < committed->rows.size(); ++i)
      if (committed->rows[i] == reference::RowResult::covered &&
          rows[i].what == reference::Disposition::fired)
        displace(desk, terms, rows[i].schedule, now);
  }
  if (const auto* hold = as_reference<reference::HoldSet>(applied.reply)) {
    desk.held = hold->hold.has_value();
    if (desk.held) return;
    for (auto& [event, last] : desk.events)
      if (!last.over && ((!last.failed && !last.given_back) || now < last.begins)) last.begins = now;
  }
}

}  // namespace

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

namespace {

// ---- no-stale-completion -----------------------------------------------------------------------------------

enum class Word : std::uint8_t { lives, done, failed, returned };

// Whether an answer is one that the contract has for what was said of this attempt.
bool is_answer(const Desk& desk, const std::map<ScheduleId, Terms>& terms, const ExecutionToken& token,
               Word word, Standing answer) {
  const auto found = desk.events.find(token.event);
  if (found == desk.events.end() || !(found->second.token == token))
    return answer == Standing::reissued || answer == Standing::unknown;
  const Last& last = found->second;
  if (last.over) return answer == *last.over;
  const Terms& of = terms.at(token.event.schedule);
  if (last.makes_room && word != Word::done)
    return answer == Standing::replaced || (word == Word::lives && answer == Standing::cancelled);
  if (of.replaces && (answer == Standing::replaced || (word == Word::lives && answer == Standing::cancelled)))
    return true;
  if (last.left_to_die && last.tries(token.attempt) >= of.most_attempts) return answer == Standing::dead;
  if (last.left_to_die && answer == Standing::dead) return true;
  if (word == Word::done) return answer == Standing::completed;  // after all
  if (last.given_back) return answer == Standing::released;
  if (word == Word::failed) return answer == Standing::failed || answer == Standing::dead;
  if (last.failed) return answer == Standing::failed;
  return answer == (word == Word::lives ? Standing::claimed : Standing::released);
}

// Whether somebody works on another event of this one's schedule, or begins with one before it in this answer.
bool has_to_wait(const Desk& desk, const Terms& of, const Last& free,
                 const std::vector<reference::Execution>& answer, StoreTime now) {
  const ScheduleId schedule = free.token.event.schedule;
  for (const reference::Execution& each : answer)
    if (each.token.event.schedule == schedule && each.seq < free.place) return true;
  return std::any_of(desk.events.begin(), desk.events.end(), [&](const auto& each) {
    const Last& other = each.second;
    if (each.first.schedule != schedule || other.over || other.failed || other.given_back) return false;
    const bool is_dead = other.left_to_die && other.tries(other.token.attempt) >= of.most_attempts;
    return !is_dead && (desk.held || now < other.begins + other.length);
  });
}

// What was given back, and is not in this answer to a claim that has room for it. The first of a strict order never
// waits, and one that was handed out is the first for as long as it is there.
std::vector<EventId> kept_back(const Desk& desk, const std::map<ScheduleId, Terms>& terms,
                               const KeptApplied& applied) {
  std::vector<EventId> kept;
  const auto* asked = as_reference<reference::ClaimExecutions>(applied.request);
  const auto* claimed = claimed_in(applied);
  if (asked == nullptr || claimed == nullptr || claimed->executions.size() >= asked->max) return kept;
  std::set<EventId> given;
  for (const reference::Execution& each : claimed->executions) given.insert(each.token.event);
  for (const auto& [event, last] : desk.events) {
    if (!last.given_back || last.displaced || last.over || given.contains(event)) continue;
    const Terms& of = terms.at(event.schedule);
    if (of.topic != asked->topic) continue;
    if (of.takes_turns && has_to_wait(desk, of, last, claimed->executions, applied.store_now)) continue;
    kept.push_back(event);
  }
  return kept;
}

}  // namespace

std::vector<Wrong> no_stale_completion(const Case& run) {
  const std::map<ScheduleId, Terms> terms = terms_of(run.scenario);
  std::vector<Wrong> wrongs;
  Desk desk;
  Desk replica;
  for (const Kept& kept : run.history.facts) {
    if (std::holds_alternative<sim::StoreReplicaStalled>(kept.fact)) replica = desk;
    if (std::holds_alternative<sim::StoreFailedOver>(kept.fact)) desk = replica;
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr) continue;
    const auto judge = [&](const ExecutionToken& token, Word word, Standing answer) {
      if (!is_answer(desk, terms, token, word, answer))
        wrongs.push_back({kept.at, describe(token.event) + ", attempt " + std::to_string(token.attempt) +
                                       ": a worker is given an answer that is none"});
    };
    if (const auto* asked = as_reference<reference::ExtendExecutions>(applied->request))
      for (std::size_t i = 0; i < asked->executions.size(); ++i)
        judge(asked->executions[i], Word::lives, states_in(*applied)->executions[i].standing);
    if (const auto* asked = as_reference<reference::EndExecutions>(applied->request))
      for (std::size_t i = 0; i < asked->ends.size(); ++i)
        judge(asked->ends[i].token, asked->ends[i].failed ? Word::failed : Word::done,
              states_in(*applied)->executions[i].standing);
    if (const auto* asked = as_reference<reference::ReleaseExecutions>(applied->request))
      for (std::size_t i = 0; i < asked->executions.size(); ++i)
        judge(asked->executions[i], Word::returned, states_in(*applied)->executions[i].standing);
    if (const auto* claimed = claimed_in(*applied))
      for (const reference::Execution& each : claimed->executions) {
        const auto last = desk.events.find(each.token.event);
        if (last != desk.events.end() && last->second.makes_room && !last->second.over)
          wrongs.push_back({kept.at, describe(each.token.event) + " was to make room, and is begun again"});
      }
    if (const auto* asked = as_reference<reference::ClaimExecutions>(applied->request))
      before_claim(desk, terms, asked->topic, applied->store_now);
    for (const EventId& event : kept_back(desk, terms, *applied))
      wrongs.push_back(
          {kept.at, describe(event) + " was given back, and a worker that asks is not given it"});
    note(desk, terms, *applied);
  }
  return wrongs;
}

// ---- left to die, for `delivered` ----------------------------------------------------------------------------

LeftToDie left_to_die(const Case& run) {
  const std::map<ScheduleId, Terms> terms = terms_of(run.scenario);
  LeftToDie found;
  Desk desk;
  Desk replica;
  for (const Kept& kept : run.history.facts) {
    if (std::holds_alternative<sim::StoreReplicaStalled>(kept.fact)) replica = desk;
    if (std::holds_alternative<sim::StoreFailedOver>(kept.fact)) desk = replica;
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr) continue;
    std::set<EventId> before;
    for (const auto& [event, last] : desk.events)
      if (last.left_to_die) before.insert(event);
    note(desk, terms, *applied);
    for (const auto& [event, last] : desk.events)
      if (last.left_to_die && !before.contains(event)) found.latest[event.schedule] = kept.at;
  }
  for (const auto& [event, last] : desk.events)
    if (last.left_to_die) found.events.insert(event);
  return found;
}

// ---- dead too early, for `dead-or-delivered` -----------------------------------------------------------------

std::map<std::size_t, std::vector<EventId>> dead_too_early(const Case& run) {
  const std::map<ScheduleId, Terms> terms = terms_of(run.scenario);
  std::map<std::size_t, std::vector<EventId>> found;
  Desk desk;
  Desk replica;
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const Fact& fact = run.history.facts[place].fact;
    if (std::holds_alternative<sim::StoreReplicaStalled>(fact)) replica = desk;
    if (std::holds_alternative<sim::StoreFailedOver>(fact)) desk = replica;
    const auto* applied = std::get_if<KeptApplied>(&fact);
    if (applied == nullptr) continue;
    for (const auto& [token, standing] : ends_in(*applied)) {
      if (standing != Standing::dead) continue;
      const auto known = desk.events.find(token.event);
      const std::uint32_t tries =
          known == desk.events.end() ? token.attempt : known->second.tries(token.attempt);
      if (tries < terms.at(token.event.schedule).least_attempts) found[place].push_back(token.event);
    }
    note(desk, terms, *applied);
  }
  return found;
}

// ---- one-live-attempt --------------------------------------------------------------------------------------

namespace {

// Why the event may not be handed out now; empty: it may.
std::string why_not(const Desk& desk, const Terms& terms, const ExecutionToken& token, StoreTime now) {
  const auto found = desk.events.find(token.event);
  const std::uint32_t tries = found == desk.events.end() ? token.attempt : found->second.tries(token.attempt);
  if (tries > terms.most_attempts) return "has had all its attempts";
  if (found == desk.events.end()) return token.attempt == 1 ? "" : "has had no attempt";
  const Last& last = found->second;
  if (last.runs(now, desk.held)) return "is being worked on";
  if (last.over) return "is over";
  if (last.failed && now < last.begins + last.length) return "is to wait";
  return token.attempt == last.token.attempt + 1 ? "" : "has had another number of attempts";
}

bool is_beside_another(const Desk& desk, const EventId& event, StoreTime now) {
  return std::any_of(desk.events.begin(), desk.events.end(), [&](const auto& each) {
    return each.first.schedule == event.schedule && each.first != event && each.second.runs(now, desk.held);
  });
}

}  // namespace

// What a failover loses is with its worker all the same.
std::vector<Wrong> one_live_attempt(const Case& run) {
  const std::map<ScheduleId, Terms> terms = terms_of(run.scenario);
  std::vector<Wrong> wrongs;
  Desk desk;
  for (const Kept& kept : run.history.facts) {
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr) continue;
    if (const auto* claimed = claimed_in(*applied)) {
      before_claim(desk, terms, as_reference<reference::ClaimExecutions>(applied->request)->topic,
                   applied->store_now);
      std::set<ScheduleId> given;
      for (const reference::Execution& each : claimed->executions) {
        const EventId& event = each.token.event;
        const Terms& of = terms.at(event.schedule);
        std::string why = why_not(desk, of, each.token, applied->store_now);
        const bool is_second = !given.insert(event.schedule).second;
        if (why.empty() && of.one_at_a_time &&
            (is_second || is_beside_another(desk, event, applied->store_now)))
          why = "is one of two of its schedule";
        if (!why.empty())
          wrongs.push_back(
              {kept.at, describe(event) + " is handed to " + describe(applied->who) + ", and " + why});
      }
    }
    note(desk, terms, *applied);
  }
  return wrongs;
}

}  // namespace tenure::judging
