#include "sim/checkers/trackers/busy_tracker.h"

#include <algorithm>
#include <utility>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

BusyTracker::BusyTracker(const Scenario& scenario) {
  const auto minds = [](const auto& setting) { return setting.definition.overlap != Overlap::allow; };
  used_ = std::any_of(scenario.schedules.begin(), scenario.schedules.end(), minds) ||
          std::any_of(scenario.changes.begin(), scenario.changes.end(), minds);
}

void BusyTracker::take(TrueTime now, const Record& record) {
  if (!again_.empty()) advance();
  if (const auto* work = std::get_if<WorkAsked>(&record)) {
    asked(work->who, work->item.event, now);
  } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
    if (landed->landing == DeliveryOutcome::running)
      waits(landed->who, landed->item.event, true);
    else if (landed->landing != DeliveryOutcome::begun)
      over(landed->who, landed->item.event, now + kHeard);
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    if (ended->ending != Ending::failed) over_elsewhere(ended->item.event, now);
    if (ended->ending == Ending::failed)
      waits(ended->who, ended->item.event, false);
    else
      over(ended->who, ended->item.event, now + kHeard);
  } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
    const bool delivered = reference_request<reference::AckEvents>(submitted->submission.request) != nullptr;
    for_each_taken(submitted->submission.request, [&](const reference::EventId& event) {
      acknowledged(submitted->who, event, now);
      if (delivered) taken(event, now);
    });
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    if (reference_reply<reference::GivenUp>(applied->reply) == nullptr) return;
    for_each_taken(applied->request, [&](const reference::EventId& event) { taken(event, now); });
  } else if (const auto* death = std::get_if<NodeDied>(&record)) {
    died(death->who, now);
  } else if (std::holds_alternative<StoreFailedOver>(record)) {
    may_be_lost(now);
  }
}

void BusyTracker::advance() {
  for (const auto& [schedule, time] : again_) row_of(schedule).again = time;
  again_.clear();
}

bool BusyTracker::since(ScheduleId schedule, TrueTime time) const {
  if (schedule.value >= rows_.size()) return false;
  const Track& row = rows_[schedule.value];
  return std::max(row.free_since, row.again) >= time ||
         std::any_of(row.pieces.begin(), row.pieces.end(),
                     [time](const Piece& piece) { return piece.until >= time; });
}

TrueTime BusyTracker::last(ScheduleId schedule, TrueTime now) const {
  if (schedule.value >= rows_.size()) return TrueTime::min();
  const Track& row = rows_[schedule.value];
  TrueTime last = row.free_since;
  for (const Piece& piece : row.pieces) last = std::max(last, std::min(piece.until, now));
  return last;
}

bool BusyTracker::under_way(Incarnation who, ScheduleId schedule, TrueTime time, StoreTime end) const {
  if (schedule.value >= rows_.size()) return false;
  const std::vector<Piece>& pieces = rows_[schedule.value].pieces;
  return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
    return piece.who == who && piece.event.slot < end && piece.asked <= time &&
           piece.until == TrueTime::max() && !piece.waits;
  });
}

void BusyTracker::asked(Incarnation who, const reference::EventId& event, TrueTime now) {
  Track& row = row_of(event.schedule);
  std::erase_if(row.pieces, [&](const Piece& piece) {
    const bool again = piece.event == event && (piece.who == who || piece.waits);
    if (piece.until < now || again) row.free_since = std::max(row.free_since, std::min(piece.until, now));
    return piece.until < now || again;
  });
  row.pieces.push_back({who, event, now});
}

void BusyTracker::over(Incarnation who, const reference::EventId& event, TrueTime until) {
  for (Piece& piece : row_of(event.schedule).pieces) {
    if (piece.who == who && piece.event == event) piece.until = until;
  }
}

void BusyTracker::waits(Incarnation who, const reference::EventId& event, bool elsewhere) {
  for (Piece& piece : row_of(event.schedule).pieces) {
    if (piece.who != who || piece.event != event) continue;
    piece.waits = true;
    piece.elsewhere = elsewhere;
  }
}

void BusyTracker::over_elsewhere(const reference::EventId& event, TrueTime now) {
  for (Piece& piece : row_of(event.schedule).pieces)
    if (piece.event == event && piece.elsewhere) piece.until = now + kAsksAgain + kHeard;
}

void BusyTracker::may_be_lost(TrueTime now) {
  for (Track& row : rows_)
    for (Piece& piece : row.pieces)
      if (std::exchange(piece.waits, false)) piece.until = now + kHeard;
}

void BusyTracker::acknowledged(Incarnation who, const reference::EventId& event, TrueTime now) {
  free(row_of(event.schedule), now,
       [&](const Piece& piece) { return piece.event == event && piece.who == who; });
}

void BusyTracker::taken(const reference::EventId& event, TrueTime now) {
  free(row_of(event.schedule), now,
       [&](const Piece& piece) { return piece.event == event && piece.waits && !piece.elsewhere; });
}

void BusyTracker::died(Incarnation who, TrueTime now) {
  for (Track& row : rows_) free(row, now, [who](const Piece& piece) { return piece.who == who; });
}

template <class Which>
void BusyTracker::free(Track& row, TrueTime now, Which&& which) {
  if (std::erase_if(row.pieces, which) > 0) row.free_since = std::max(row.free_since, now);
}

BusyTracker::Track& BusyTracker::row_of(ScheduleId schedule) {
  if (rows_.size() <= schedule.value) rows_.resize(schedule.value + 1);
  return rows_[schedule.value];
}

}  // namespace tenure::sim
