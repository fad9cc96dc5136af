#include "sim/checkers/trackers/event_lifecycle.h"

#include <algorithm>
#include <utility>

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/trackers/record_kinds.h"
#include "sim/checkers/trackers/routed_schedules.h"

namespace tenure::sim {

using reference::EventId;

std::string_view why_not_delivered(EventLifecycle::Stage stage) {
  using Stage = EventLifecycle::Stage;
  switch (stage) {
    case Stage::claimed: return "before its work had begun";
    case Stage::running: return "while its work was running";
    case Stage::refused: return "although its work had been refused";
    case Stage::elsewhere: return "while its work was running at another instance";
    case Stage::failed: return "although its work had failed";
    case Stage::dead: return "as delivered, although its work had failed each time";
    case Stage::ended: break;
  }
  return "";
}

EventLifecycle::EventLifecycle(const Scenario& scenario, const EventRules& rules, bool has_ledger)
    : rules_(rules), attempts_(work_attempts_of(scenario)), minds_overlap_(false) {
  for_each_setting(scenario, [&](ScheduleId, const auto& setting) {
    minds_overlap_ = minds_overlap_ || (has_ledger && setting.definition.overlap != Overlap::allow);
  });
}

void EventLifecycle::see(TrueTime now, const Record& record) {
  if (!again_.empty()) advance();
  show_to(*this, now, record);
}

// ---- the transitions ----

void EventLifecycle::on(TrueTime now, const WorkAsked& asked) {
  const EventId& event = asked.item.event;
  forget_ended(now, event.schedule);
  for (auto& [who, life] : lives_) {
    Piece* const piece = life.pieces.find(event);
    if (piece == nullptr) continue;
    if (who == asked.who || piece->waits()) free(event.schedule, *piece, std::min(piece->until, now));
    if (life.is_dead) life.erase(event, *piece);
  }
  Life& life = lives_[asked.who];
  Piece& piece = life.pieces.add(event);
  life.move(now, piece, Stage::claimed);
  piece.claimed = now;
  piece.until = TrueTime::max();
}

void EventLifecycle::on(TrueTime now, const WorkArrived& landed) {
  const EventId& event = landed.item.event;
  const bool runs = running_.find(event) != nullptr;
  if (landed.landing == DeliveryOutcome::begun) ++running_.add(event);
  Life* const life = lives_.find(landed.who);
  Piece* const piece = life != nullptr ? life->pieces.find(event) : nullptr;
  if (piece == nullptr) return;
  switch (landed.landing) {
    case DeliveryOutcome::begun: life->move(now, *piece, Stage::running); break;
    case DeliveryOutcome::running: life->move(now, *piece, Stage::elsewhere); break;
    case DeliveryOutcome::fenced:
      life->move(now, *piece, Stage::refused);
      piece->until = now + kHeard;
      break;
    case DeliveryOutcome::duplicate:
      if (!runs) return is_over(now, *life, event);
      life->move(now, *piece, Stage::elsewhere);
      piece->until = now + kHeard;
      break;
  }
}

void EventLifecycle::on(TrueTime now, const WorkEnded& ended) {
  const EventId& event = ended.item.event;
  if (std::uint32_t* const running = running_.find(event); running != nullptr && --*running == 0)
    running_.erase(event);
  const bool failed = ended.ending == Ending::failed;
  for (auto& [who, life] : lives_) {
    Piece* const piece = life.pieces.find(event);
    if (piece == nullptr || piece->stage != Stage::elsewhere) continue;
    piece->moved = now;
    if (!failed) piece->until = now + kAsksAgain + kHeard;
  }
  if (failed) return fail(now, lives_[ended.who], ended.item);
  if (Life* const life = lives_.find(ended.who)) is_over(now, *life, event);
}

void EventLifecycle::on(TrueTime now, const Submitted& submitted) {
  const Request& request = submitted.submission.request;
  if (!takes_events(request)) return;
  const bool delivered = reference_request<reference::AckEvents>(request) != nullptr;
  Life* const life = lives_.find(submitted.who);
  for_each_taken(request, [&](const EventId& event) {
    if (Piece* const piece = life != nullptr ? life->pieces.find(event) : nullptr) {
      free(event.schedule, *piece, now);
      if (!delivered) piece->failures = 0;  // it counts from the beginning if it is redriven
      if (piece->stage == Stage::ended) {
        --schedule_of(event.schedule).ended;
        life->erase(event, *piece);
      }
    }
    if (delivered) taken(now, event);
    for (auto& [who, other] : lives_)
      if (other.is_dead) other.pieces.erase(event);
  });
}

void EventLifecycle::on(TrueTime now, const Applied&) {
  for (const EventId& event : rules_.died()) taken(now, event);
}

// What it would have had to do is another's now, who finds it in the outbox.
void EventLifecycle::on(TrueTime now, const NodeDied& death) {
  Life* const life = lives_.find(death.who);
  if (life == nullptr) return;
  reference::EventMap<Piece> left;
  life->pieces.for_each([&](const EventId& event, Piece piece) {
    free(event.schedule, piece, std::min(piece.until, now));
    piece.moved = now;
    if (piece.stage == Stage::claimed) piece.stage = Stage::refused;  // it did not get there
    if (piece.stage != Stage::running && piece.stage != Stage::ended) left.add(event) = piece;
  });
  if (left.empty()) return static_cast<void>(lives_.erase(death.who));
  *life = {std::move(left), 0, true};
}

void EventLifecycle::on(TrueTime now, const StoreFailedOver&) {
  for (auto& [who, life] : lives_)
    life.pieces.for_each([&, &pieces = life.pieces](const EventId& event, const Piece& piece) {
      if (piece.waits()) pieces.find(event)->until = now + kHeard;
    });
}

// ---- at one life ----

void EventLifecycle::Life::move(TrueTime now, Piece& piece, Stage to) {
  if (piece.is_in_hand()) --in_hand;
  piece.stage = to;
  piece.moved = now;
  if (piece.is_in_hand()) ++in_hand;
}

void EventLifecycle::fail(TrueTime now, Life& life, const WorkItem& item) {
  Piece& piece = life.pieces.add(item.event);
  if (piece.token != item.token) piece.failures = 0;
  piece.token = item.token;
  life.move(now, piece, ++piece.failures < attempts_ ? Stage::failed : Stage::dead);
}

void EventLifecycle::is_over(TrueTime now, Life& life, const EventId& event) {
  Piece* const piece = life.pieces.find(event);
  if (piece == nullptr) return;
  life.move(now, *piece, Stage::ended);
  piece->until = now + kHeard;
  piece->failures = 0;
  ++schedule_of(event.schedule).ended;
}

std::optional<EventLifecycle::Stage> EventLifecycle::stage(Incarnation who, const EventId& event) const {
  const Life* const life = lives_.find(who);
  const Piece* const piece = life != nullptr ? life->pieces.find(event) : nullptr;
  return piece != nullptr && piece->stage != Stage::ended ? std::optional(piece->stage) : std::nullopt;
}

std::int64_t EventLifecycle::in_hand(Incarnation who) const {
  const Life* const life = lives_.find(who);
  return life != nullptr ? life->in_hand : 0;
}

bool EventLifecycle::has_in_hand(Incarnation who, ScheduleId schedule, StoreTime end, TrueTime time) const {
  const Life* const life = lives_.find(who);
  if (life == nullptr) return false;
  bool any = false;
  life->pieces.for_each_of(schedule, [&](const EventId& event, const Piece& piece) {
    any = any || (piece.is_in_hand() && event.slot < end && piece.claimed <= time);
  });
  return any;
}

// ---- of a schedule ----

void EventLifecycle::advance() {
  for (const auto& [schedule, time] : again_) schedule_of(schedule).again = time;
  again_.clear();
}

TrueTime EventLifecycle::last_busy(ScheduleId schedule, TrueTime now) const {
  if (!minds_overlap_ || schedule.value >= schedules_.size()) return TrueTime::min();
  TrueTime last = schedules_[schedule.value].free_since;
  for (const auto& [who, life] : lives_)
    life.pieces.for_each_of(schedule, [&](const EventId&, const Piece& piece) {
      last = std::max(last, std::min(piece.until, now));
    });
  return last;
}

void EventLifecycle::taken(TrueTime now, const EventId& event) {
  if (!minds_overlap_) return;
  for (auto& [who, life] : lives_) {
    Piece* const piece = life.pieces.find(event);
    if (piece != nullptr && piece->waits() && piece->stage != Stage::elsewhere)
      free(event.schedule, *piece, now);
  }
}

// What is over and still kept: nobody has acknowledged it.
void EventLifecycle::forget_ended(TrueTime now, ScheduleId schedule) {
  Schedule& busy = schedule_of(schedule);
  if (std::exchange(busy.ended, 0) == 0) return;
  for (auto& [who, life] : lives_) {
    std::vector<EventId> over;
    life.pieces.for_each_of(schedule, [&](const EventId& event, const Piece& piece) {
      if (piece.stage != Stage::ended) return;
      if (piece.until < now)
        over.push_back(event);
      else
        ++busy.ended;
    });
    for (const EventId& event : over) {
      Piece& piece = *life.pieces.find(event);
      free(schedule, piece, piece.until);
      life.erase(event, piece);
    }
  }
}

EventLifecycle::Schedule& EventLifecycle::schedule_of(ScheduleId schedule) {
  if (schedules_.size() <= schedule.value) schedules_.resize(schedule.value + 1);
  return schedules_[schedule.value];
}

void EventLifecycle::free(ScheduleId schedule, Piece& piece, TrueTime at) {
  piece.until = at;
  TrueTime& since = schedule_of(schedule).free_since;
  since = std::max(since, at);
}

// ---- at all lives ----

std::optional<EventLifecycle::Idle> EventLifecycle::idle(const EventId& event) const {
  Idle last;
  TrueTime claimed = TrueTime::min();
  for (const auto& [who, life] : lives_) {
    const Piece* const piece = life.pieces.find(event);
    if (piece == nullptr) continue;
    if (piece->is_in_hand()) return std::nullopt;
    if (claimed >= piece->claimed) continue;
    claimed = piece->claimed;
    last = {piece->moved, who, piece->stage};
  }
  return last;
}

std::uint64_t EventLifecycle::waiting() const {
  std::uint64_t count = 0;
  for (const auto& [who, life] : lives_)
    life.pieces.for_each([&](const EventId&, const Piece& piece) { count += piece.waits() ? 1 : 0; });
  return count;
}

}  // namespace tenure::sim
