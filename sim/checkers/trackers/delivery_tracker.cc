#include "sim/checkers/trackers/delivery_tracker.h"

namespace tenure::sim {

std::string_view why_not_delivered(DeliveryTracker::State state) {
  switch (state) {
    case DeliveryTracker::State::on_its_way: return "before its work had begun";
    case DeliveryTracker::State::running: return "while its work was running";
    case DeliveryTracker::State::refused: return "although its work had been refused";
    case DeliveryTracker::State::failed: return "although its work had failed";
    case DeliveryTracker::State::dead: return "as delivered, although its work had failed each time";
  }
  return "";
}

void DeliveryTracker::see(const Record& record) {
  if (const auto* work = std::get_if<WorkAsked>(&record)) {
    const auto [piece, fresh] = pieces_.try_emplace({work->who, work->item.event}, State::on_its_way);
    if (piece->second == State::dead) failures_.erase(piece->first);  // redriven
    piece->second = State::on_its_way;
  } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
    const auto piece = pieces_.find({landed->who, landed->item.event});
    if (piece == pieces_.end()) return;
    if (landed->landing == DeliveryOutcome::duplicate) {
      pieces_.erase(piece);
    } else {
      piece->second = landed->landing == DeliveryOutcome::begun ? State::running : State::refused;
    }
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    const Key key{ended->who, ended->item.event};
    if (ended->ending == Ending::failed) {
      pieces_.insert_or_assign(
          key, count_failure(key, ended->item.token) < attempts_ ? State::failed : State::dead);
    } else {
      failures_.erase(key);
      pieces_.erase(key);
    }
  } else if (const auto* death = std::get_if<NodeDied>(&record)) {
    died(death->who);
  }
}

std::optional<DeliveryTracker::State> DeliveryTracker::state(Incarnation who,
                                                             const reference::EventId& event) const {
  const auto piece = pieces_.find({who, event});
  return piece != pieces_.end() ? std::optional(piece->second) : std::nullopt;
}

std::uint32_t DeliveryTracker::count_failure(const Key& key, const std::optional<Token>& token) {
  Failures& failures = failures_[key];
  if (failures.token != token) failures = {token, 0};
  return ++failures.count;
}

void DeliveryTracker::died(Incarnation who) {
  std::erase_if(pieces_, [who](const auto& piece) { return piece.first.first == who; });
  std::erase_if(failures_, [who](const auto& piece) { return piece.first.first == who; });
}

}  // namespace tenure::sim
