#include "tests/judge/delivery_model.h"

#include <algorithm>
#include <utility>

#include "core/store/reference/waiting.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {

using reference::EventId;
using reference::ExecutionToken;
using reference::Standing;

std::vector<Answer> answers_in(const KeptApplied& applied) {
  std::vector<Answer> answers;
  const auto* states = as_reference<reference::ExecutionStates>(applied.reply);
  if (states == nullptr) return answers;
  const auto add = [&](const ExecutionToken& token, Word word) {
    if (answers.size() < states->executions.size())
      answers.push_back({token, word, states->executions[answers.size()].standing});
  };
  if (const auto* asked = as_reference<reference::ExtendExecutions>(applied.request))
    for (const ExecutionToken& token : asked->executions) add(token, Word::lives);
  if (const auto* asked = as_reference<reference::EndExecutions>(applied.request))
    for (const reference::ExecutionEnd& end : asked->ends)
      add(end.token, end.failed ? Word::failed : Word::done);
  if (const auto* asked = as_reference<reference::ReleaseExecutions>(applied.request))
    for (const ExecutionToken& token : asked->executions) add(token, Word::returned);
  return answers;
}

std::uint32_t HeldEvent::tries(std::uint32_t attempts) const {
  std::uint32_t count = 0;
  for (std::uint32_t attempt = before + 1; attempt <= attempts; ++attempt)
    if (!returns.contains(attempt)) ++count;
  return count;
}

// ---- how it comes to know ----------------------------------------------------------------------------------

void DeliveryModel::note(const KeptApplied& applied) {
  const StoreTime now = applied.store_now;
  for (const Intake::Put& each : intake_.take(applied)) {
    if (each.event.run == 0 && each.rules.overlap == Overlap::replace) make_room(each.event.schedule, now);
    committed_[each.event] = each.rules;
    if (!departures_.contains(each.event)) put(each.event, each.rules);
  }
  if (const auto* asked = as_reference<reference::ClaimExecutions>(applied.request)) {
    before_claim(asked->topic, now);
    if (const auto* claimed = as_reference<reference::ClaimedExecutions>(applied.reply))
      for (const reference::Execution& each : claimed->executions)
        note_claim(each.token, now, asked->duration);
  }
  const auto* extends = as_reference<reference::ExtendExecutions>(applied.request);
  for (const Answer& answer : answers_in(applied))
    note_answer(answer, now, extends != nullptr ? extends->duration : Duration{});
  if (const auto* ack = as_reference<reference::AckEvents>(applied.request))
    for (const reference::DeliveredEvent& had : ack->events)
      if (const HeldEvent* piece = find(had.id);
          piece != nullptr && piece->rules.is_for(had) && !is_at_work(*piece, now))
        leave(had.id, Standing::completed, now);
  for (const EventId& event : deaths_.by(applied)) leave(event, Standing::dead, now);
  if (const auto* redrive = as_reference<reference::Redrive>(applied.request))
    for (const EventId& event : redrive->events) {
      if (dead_.erase(event) == 0) continue;
      put(event, committed_.at(event));
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

void DeliveryModel::note_claim(const ExecutionToken& token, StoreTime now, Duration length) {
  // The store has it, though it should not.
  if (const auto known = committed_.find(token.event); known != committed_.end())
    put(token.event, known->second);
  const auto found = pieces_.find(token.event);
  if (found == pieces_.end()) return;
  HeldEvent& piece = found->second;
  piece.last = Try{token, false, false, false, now, length};
  // It begins only now. What a failover has lost may have had the number.
  piece.returns.erase(piece.returns.lower_bound(token.attempt), piece.returns.end());
}

void DeliveryModel::note_answer(const Answer& answer, StoreTime now, Duration extended) {
  const auto found = pieces_.find(answer.token.event);
  if (found == pieces_.end() || !found->second.last || !(found->second.last->token == answer.token)) return;
  HeldEvent& piece = found->second;
  Try& last = *piece.last;
  switch (answer.standing) {
    case Standing::claimed:
    case Standing::cancelled:
      if (answer.word != Word::lives) return;
      last.begins = now;
      if (extended != Duration{}) last.length = extended;
      return;
    case Standing::failed:
      if (!last.is_open()) return;
      last.failed = true;
      last.begins = now;
      last.length = back_off_after(piece.rules.delivery, piece.tries(answer.token.attempt));
      return;
    case Standing::released:
      if (!last.is_open()) return;
      last.given_back = true;
      last.begins = now;
      last.length = {};
      piece.returns.insert(answer.token.attempt);
      return;
    case Standing::completed:
    case Standing::dead:
    case Standing::replaced: return leave(answer.token.event, answer.standing, now);
    case Standing::reissued:
    case Standing::unknown: return;
  }
}

void DeliveryModel::put(const EventId& event, const Rules& rules) {
  if (rules.is_own_work()) return;
  const auto [place, is_new] = pieces_.try_emplace(event);
  place->second.rules = rules;
  if (is_new) place->second.number = ++numbers_;
}

void DeliveryModel::leave(const EventId& event, Standing how, StoreTime now) {
  const auto found = pieces_.find(event);
  if (found == pieces_.end()) return;
  if (found->second.last) departures_[event] = {found->second.last->token, how, now};
  if (how == Standing::dead) dead_.insert(event);
  pieces_.erase(found);
}

// What somebody asked for by hand stays, and what is sent to a destination.
void DeliveryModel::make_room(ScheduleId schedule, StoreTime now) {
  std::vector<EventId> gone;
  for (auto& [event, piece] : pieces_) {
    if (event.schedule != schedule || event.run != 0 || !piece.rules.is_pulled()) continue;
    if (piece.last && piece.last->is_open() && now < piece.last->begins + piece.last->length)
      piece.last->makes_room = true;
    else
      gone.push_back(event);
  }
  for (const EventId& event : gone) leave(event, Standing::replaced, now);
}

void DeliveryModel::before_claim(const std::string& topic, StoreTime now) {
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
  std::size_t left = reference::kSettledAtOnce;  // the rest is for the next claim
  for (const auto& [number, each] : over)
    if (left-- > 0)
      leave(each.first, each.second, now);
    else
      return;
}

void DeliveryModel::become(const DeliveryModel& replica) {
  auto committed = std::move(committed_);
  *this = replica;
  committed_ = std::move(committed);
}

// ---- what it knows -----------------------------------------------------------------------------------------

const HeldEvent* DeliveryModel::find(const EventId& event) const {
  const auto found = pieces_.find(event);
  return found != pieces_.end() ? &found->second : nullptr;
}

const Departure* DeliveryModel::departure(const EventId& event) const {
  const auto found = departures_.find(event);
  return found != departures_.end() ? &found->second : nullptr;
}

const Rules* DeliveryModel::committed(const EventId& event) const {
  const auto found = committed_.find(event);
  return found != committed_.end() && !found->second.is_own_work() ? &found->second : nullptr;
}

// During a hold nothing ends.
bool DeliveryModel::is_at_work(const HeldEvent& piece, StoreTime now) const {
  return piece.last && piece.last->is_open() && (held_ || now < piece.last->begins + piece.last->length);
}

std::string DeliveryModel::why_not(const ExecutionToken& token, const std::vector<EventId>& given,
                                   StoreTime now) const {
  const HeldEvent* piece = find(token.event);
  const Rules& rules = *committed(token.event);
  const std::uint32_t tries = piece == nullptr ? token.attempt : piece->tries(token.attempt);
  if (tries > rules.delivery.attempts) return "has had all its attempts";
  if (piece == nullptr || !piece->last) {
    if (token.attempt != (piece == nullptr ? 0 : piece->before) + 1) return "has had no attempt";
  } else {
    const Try& last = *piece->last;
    if (is_at_work(*piece, now)) return "is being worked on";
    if (last.failed && now < last.begins + last.length) return "is to wait";
    if (token.attempt != last.token.attempt + 1) return "has had another number of attempts";
  }
  return rules.is_single() && has_to_wait(token.event, given, now) ? "is one of two of its schedule" : "";
}

bool DeliveryModel::has_to_wait(const EventId& event, const std::vector<EventId>& given,
                                StoreTime now) const {
  const HeldEvent* own = find(event);
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const auto& each) {
    const auto& [other, piece] = each;
    if (other.schedule != event.schedule || other == event) return false;
    const bool comes_first = own != nullptr && piece.number < own->number;
    if (!comes_first && !piece.rules.is_single()) return false;
    return is_at_work(piece, now) || std::find(given.begin(), given.end(), other) != given.end();
  });
}

std::size_t DeliveryModel::count(ScheduleId schedule) const {
  return static_cast<std::size_t>(std::count_if(
      pieces_.begin(), pieces_.end(), [&](const auto& each) { return each.first.schedule == schedule; }));
}

bool DeliveryModel::is_right(const Answer& answer) const {
  const auto& [token, word, standing] = answer;
  const HeldEvent* piece = find(token.event);
  if (piece == nullptr) {
    const Departure* gone = departure(token.event);
    if (gone == nullptr) return standing == Standing::unknown;
    if (standing == Standing::unknown && gone->at <= pruned_) return true;
    return standing == (gone->last == token ? gone->how : Standing::reissued);
  }
  if (!piece->last || !(piece->last->token == token)) return standing == Standing::reissued;
  const Try& last = *piece->last;
  if (word == Word::done) return standing == Standing::completed;  // after all
  if (last.failed) return standing == Standing::failed;
  if (last.given_back) return standing == Standing::released;
  if (last.makes_room) return standing == (word == Word::lives ? Standing::cancelled : Standing::replaced);
  if (word == Word::lives) return standing == Standing::claimed;
  if (word == Word::returned) return standing == Standing::released;
  if (standing == Standing::dead) return true;  // too early: dead-or-delivered
  return standing == Standing::failed && piece->tries(token.attempt) < piece->rules.delivery.attempts;
}

// ---- over a whole run --------------------------------------------------------------------------------------

void follow(const Case& run, bool as_workers_know,
            const std::function<void(const Kept&, std::size_t, const KeptApplied&, DeliveryModel&)>& look) {
  DeliveryModel store(run.scenario);
  std::optional<DeliveryModel> replica;
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const Kept& kept = run.history.facts[place];
    if (std::holds_alternative<sim::StoreReplicaStalled>(kept.fact)) replica = store;
    if (std::holds_alternative<sim::StoreFailedOver>(kept.fact) && replica) {
      as_workers_know ? store.take_back_commits(*replica) : store.become(*replica);
      replica.reset();
    }
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr) continue;
    look(kept, place, *applied, store);
    store.note(*applied);
  }
}

}  // namespace tenure::judging
