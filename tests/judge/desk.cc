#include "tests/judge/desk.h"

#include <algorithm>

#include "core/store/reference/waiting.h"
#include "tests/judge/executions.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {

using reference::EventId;
using reference::ExecutionToken;
using reference::Standing;

std::uint32_t Piece::tries(std::uint32_t attempts) const {
  std::uint32_t count = 0;
  for (std::uint32_t attempt = before + 1; attempt <= attempts; ++attempt)
    if (!returns.contains(attempt)) ++count;
  return count;
}

const Piece* Desk::find(const EventId& event) const {
  const auto found = pieces_.find(event);
  return found != pieces_.end() ? &found->second : nullptr;
}

const Departure* Desk::departure(const EventId& event) const {
  const auto found = departures_.find(event);
  return found != departures_.end() ? &found->second : nullptr;
}

// During a hold nothing ends.
bool Desk::is_at_work(const Piece& piece, StoreTime now) const {
  return piece.last && piece.last->is_open() && (held_ || now < piece.last->begins + piece.last->length);
}

bool Desk::has_to_wait(const EventId& event, const std::vector<EventId>& given, StoreTime now) const {
  const Piece* own = find(event);
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const auto& each) {
    const auto& [other, piece] = each;
    if (other.schedule != event.schedule || other == event) return false;
    const bool comes_first = own != nullptr && piece.number < own->number;
    if (!comes_first && !piece.rules.is_single()) return false;
    return is_at_work(piece, now) || std::find(given.begin(), given.end(), other) != given.end();
  });
}

bool Desk::passes_an_earlier_one(const EventId& event) const {
  const Piece& own = pieces_.at(event);
  return own.rules.delivery.strict_order &&
         std::any_of(pieces_.begin(), pieces_.end(), [&](const auto& each) {
           return each.first.schedule == event.schedule && each.second.rules.is_pulled() &&
                  each.second.number < own.number;
         });
}

std::size_t Desk::count(ScheduleId schedule) const {
  return static_cast<std::size_t>(std::count_if(
      pieces_.begin(), pieces_.end(), [&](const auto& each) { return each.first.schedule == schedule; }));
}

// ---- how it comes to know ----------------------------------------------------------------------------------

void Desk::note(const KeptApplied& applied) {
  silent_.clear();
  const StoreTime now = applied.store_now;
  for (const Intake::Put& each : intake_.take(applied)) {
    if (each.event.run == 0 && each.rules.overlap == Overlap::replace) make_room(each.event.schedule, now);
    known_[each.event] = each.rules;
    if (!departures_.contains(each.event)) put(each.event, each.rules);
  }
  if (const auto* asked = as_reference<reference::ClaimExecutions>(applied.request)) {
    before_claim(asked->topic, now);
    if (const auto* claimed = as_reference<reference::ClaimedExecutions>(applied.reply))
      for (const reference::Execution& each : claimed->executions) {
        // The store has it, though it should not.
        if (const auto known = known_.find(each.token.event); known != known_.end())
          put(each.token.event, known->second);
        const auto found = pieces_.find(each.token.event);
        if (found == pieces_.end()) continue;
        Piece& piece = found->second;
        piece.last = Try{each.token, false, false, false, now, asked->duration};
        // It begins only now. What a failover has lost may have had the number.
        piece.returns.erase(piece.returns.lower_bound(each.token.attempt), piece.returns.end());
      }
  }
  note_answers(applied);
  if (const auto* ack = as_reference<reference::AckEvents>(applied.request))
    for (const EventId& event : ack->events)
      if (const Piece* piece = find(event); piece != nullptr && !is_at_work(*piece, now))
        leave(event, Standing::completed, now);
  if (const auto* given_up = as_reference<reference::GiveUpEvents>(applied.request);
      given_up != nullptr && as_reference<reference::GivenUp>(applied.reply) != nullptr)
    for (const reference::DeadEvent& dead : given_up->events) leave(dead.id, Standing::dead, now);
  if (const auto* redrive = as_reference<reference::Redrive>(applied.request))
    for (const EventId& event : redrive->events) {
      if (dead_.erase(event) == 0) continue;
      put(event, known_.at(event));
      if (const Departure* last = departure(event)) pieces_.at(event).before = last->last.attempt;
    }
  if (const auto* prune = as_reference<reference::Prune>(applied.request))
    pruned_ = std::max(pruned_, prune->before);
  if (const auto* hold = as_reference<reference::HoldSet>(applied.reply)) {
    held_ = hold->hold.has_value();
    if (held_) return;
    for (auto& [event, piece] : pieces_)
      if (piece.last && (piece.last->is_open() || now < piece.last->begins)) piece.last->begins = now;
  }
}

void Desk::put(const EventId& event, const Rules& rules) {
  if (rules.is_own_work()) return;
  const auto [place, is_new] = pieces_.try_emplace(event);
  place->second.rules = rules;
  if (is_new) place->second.number = ++numbers_;
}

void Desk::leave(const EventId& event, Standing how, StoreTime now) {
  const auto found = pieces_.find(event);
  if (found == pieces_.end()) return;
  if (found->second.last) departures_[event] = {found->second.last->token, how, now};
  if (how == Standing::dead) dead_.insert(event);
  pieces_.erase(found);
}

// What somebody asked for by hand stays, and what is sent to a destination.
void Desk::make_room(ScheduleId schedule, StoreTime now) {
  std::vector<EventId> gone;
  for (auto& [event, piece] : pieces_) {
    if (event.schedule != schedule || event.run != 0 || !piece.rules.is_pulled()) continue;
    if (piece.last && piece.last->is_open() && now < piece.last->begins + piece.last->length)
      piece.last->makes_room = true;
    else
      gone.push_back(event);
  }
  for (const EventId& event : gone) {
    leave(event, Standing::replaced, now);
    silent_.push_back(event);
  }
}

void Desk::before_claim(const std::string& topic, StoreTime now) {
  silent_.clear();
  std::map<std::uint64_t, std::pair<EventId, Standing>> over;
  for (auto& [event, piece] : pieces_) {
    if (!piece.last) continue;
    Try& last = *piece.last;
    if (now < last.begins) last.begins = now;
    if (!last.is_open() || is_at_work(piece, now) || topics_[event.schedule] != topic) continue;
    if (last.makes_room)
      over[piece.number] = {event, Standing::replaced};
    else if (piece.tries(last.token.attempt) >= piece.rules.delivery.attempts)
      over[piece.number] = {event, Standing::dead};
  }
  for (const auto& [number, each] : over) {
    if (silent_.size() >= reference::kSettledAtOnce) return;  // the rest is for the next claim
    leave(each.first, each.second, now);
    silent_.push_back(each.first);
  }
}

std::optional<Duration> Desk::length_of(const ExecutionToken& token, Duration asked) const {
  if (asked != Duration{}) return asked;
  const auto found = pieces_.find(token.event);
  if (found == pieces_.end() || !found->second.last || !(found->second.last->token == token))
    return std::nullopt;
  return found->second.last->length;
}

void Desk::note_answers(const KeptApplied& applied) {
  const auto* states = as_reference<reference::ExecutionStates>(applied.reply);
  if (states == nullptr) return;
  const auto& answers = states->executions;
  const StoreTime now = applied.store_now;
  if (const auto* asked = as_reference<reference::ExtendExecutions>(applied.request))
    for (std::size_t i = 0; i < asked->executions.size() && i < answers.size(); ++i)
      note_answer(asked->executions[i], answers[i], now, asked->duration);
  if (const auto* asked = as_reference<reference::EndExecutions>(applied.request))
    for (std::size_t i = 0; i < asked->ends.size() && i < answers.size(); ++i)
      note_answer(asked->ends[i].token, answers[i], now, std::nullopt);
  if (const auto* asked = as_reference<reference::ReleaseExecutions>(applied.request))
    for (std::size_t i = 0; i < asked->executions.size() && i < answers.size(); ++i)
      note_answer(asked->executions[i], answers[i], now, std::nullopt);
}

void Desk::note_answer(const ExecutionToken& token, const reference::ExecutionState& state, StoreTime now,
                       std::optional<Duration> extended) {
  const auto found = pieces_.find(token.event);
  if (found == pieces_.end() || !found->second.last || !(found->second.last->token == token)) return;
  Piece& piece = found->second;
  Try& last = *piece.last;
  switch (state.standing) {
    case Standing::claimed:
    case Standing::cancelled:
      if (!extended) return;
      last.begins = now;
      if (*extended != Duration{}) last.length = *extended;
      return;
    case Standing::failed:
      if (!last.is_open()) return;
      last.failed = true;
      last.begins = now;
      last.length = wait_after(piece.rules.delivery, piece.tries(token.attempt));
      return;
    case Standing::released:
      if (!last.is_open()) return;
      last.given_back = true;
      last.begins = now;
      last.length = {};
      piece.returns.insert(token.attempt);
      return;
    case Standing::completed:
    case Standing::dead:
    case Standing::replaced: return leave(token.event, state.standing, now);
    case Standing::reissued:
    case Standing::unknown: return;
  }
}

// ---- what is right -----------------------------------------------------------------------------------------

bool Desk::is_right(const ExecutionToken& token, Word word, Standing answer) const {
  const Piece* piece = find(token.event);
  if (piece == nullptr) {
    const Departure* gone = departure(token.event);
    if (gone == nullptr) return answer == Standing::unknown;
    if (answer == Standing::unknown && gone->at <= pruned_) return true;
    return answer == (gone->last == token ? gone->how : Standing::reissued);
  }
  if (!piece->last || !(piece->last->token == token)) return answer == Standing::reissued;
  const Try& last = *piece->last;
  if (word == Word::done) return answer == Standing::completed;  // after all
  if (last.failed) return answer == Standing::failed;
  if (last.given_back) return answer == Standing::released;
  if (last.makes_room) return answer == (word == Word::lives ? Standing::cancelled : Standing::replaced);
  if (word == Word::lives) return answer == Standing::claimed;
  if (word == Word::returned) return answer == Standing::released;
  if (answer == Standing::dead) return true;  // too early: dead-or-delivered
  return answer == Standing::failed && piece->tries(token.attempt) < piece->rules.delivery.attempts;
}

bool Desk::can_be_claimed(const EventId& event, const Piece& piece, const std::set<std::uint64_t>& given,
                          StoreTime now) const {
  if (is_at_work(piece, now)) return false;
  if (piece.last && piece.last->failed && now < piece.last->begins + piece.last->length) return false;
  if (piece.last && piece.last->is_open() &&
      (piece.last->makes_room || piece.tries(piece.last->token.attempt) >= piece.rules.delivery.attempts))
    return false;  // it is over, and one claim has not found them all
  if (!piece.rules.is_single()) return true;
  if (passes_an_earlier_one(event)) return false;
  std::vector<EventId> earlier;
  for (const auto& [other, its] : pieces_)
    if (its.number < piece.number && given.contains(its.number)) earlier.push_back(other);
  return !has_to_wait(event, earlier, now);
}

std::vector<EventId> Desk::kept_back(const std::string& topic, const std::set<std::uint64_t>& given,
                                     bool has_room, StoreTime now) const {
  std::vector<EventId> kept;
  for (const auto& [event, piece] : pieces_) {
    if (!piece.rules.is_pulled() || given.contains(piece.number)) continue;
    const auto own = topics_.find(event.schedule);
    if ((own != topics_.end() ? own->second : "") != topic) continue;
    const bool is_reached = has_room || (!given.empty() && piece.number < *given.rbegin());
    if (is_reached && can_be_claimed(event, piece, given, now)) kept.push_back(event);
  }
  return kept;
}

}  // namespace tenure::judging
