#include "sim/checkers/trackers/delivery_tracker.h"

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

std::string_view why_not_delivered(DeliveryTracker::State state) {
  switch (state) {
    case DeliveryTracker::State::on_its_way: return "before its work had begun";
    case DeliveryTracker::State::running: return "while its work was running";
    case DeliveryTracker::State::refused: return "although its work had been refused";
    case DeliveryTracker::State::elsewhere: return "while its work was running at another instance";
    case DeliveryTracker::State::failed: return "although its work had failed";
    case DeliveryTracker::State::dead: return "as delivered, although its work had failed each time";
  }
  return "";
}

void DeliveryTracker::see(const Record& record) {
  if (const auto* asked = std::get_if<WorkAsked>(&record)) {
    lives_[asked->who].pieces.add(asked->item.event) = State::on_its_way;
  } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
    gives_up(*submitted);
  } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
    take(*landed);
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    take(*ended);
  } else if (const auto* death = std::get_if<NodeDied>(&record)) {
    lives_.erase(death->who);
  }
}

// It counts from the beginning if it is redriven.
void DeliveryTracker::gives_up(const Submitted& submitted) {
  const auto* given_up = reference_request<reference::GiveUpEvents>(submitted.submission.request);
  if (given_up == nullptr) return;
  Life* const life = lives_.find(submitted.who);
  if (life == nullptr) return;
  for (const reference::DeadEvent& dead : given_up->events) life->failures.erase(dead.id);
}

void DeliveryTracker::take(const WorkLanded& landed) {
  const bool runs = running_.find(landed.item.event) != nullptr;
  if (landed.landing == DeliveryOutcome::begun) ++running_.add(landed.item.event);
  Life* const life = lives_.find(landed.who);
  if (life == nullptr) return;
  reference::EventMap<State>& pieces = life->pieces;
  State* const piece = pieces.find(landed.item.event);
  if (piece == nullptr) return;
  switch (landed.landing) {
    case DeliveryOutcome::begun: *piece = State::running; break;
    case DeliveryOutcome::fenced: *piece = State::refused; break;
    case DeliveryOutcome::running: *piece = State::elsewhere; break;
    case DeliveryOutcome::duplicate:
      if (runs)
        *piece = State::elsewhere;
      else
        pieces.erase(landed.item.event);
      break;
  }
}

void DeliveryTracker::take(const WorkEnded& ended) {
  const reference::EventId& event = ended.item.event;
  if (std::uint32_t* const running = running_.find(event); running != nullptr && --*running == 0)
    running_.erase(event);
  if (ended.ending == Ending::failed) {
    Life& life = lives_[ended.who];
    const bool again = life.failures.add(event).count_one(ended.item.token) < attempts_;
    life.pieces.add(event) = again ? State::failed : State::dead;
  } else if (Life* const life = lives_.find(ended.who)) {
    life->failures.erase(event);
    life->pieces.erase(event);
  }
}

std::optional<DeliveryTracker::State> DeliveryTracker::state(Incarnation who,
                                                             const reference::EventId& event) const {
  const Life* const life = lives_.find(who);
  const State* const piece = life != nullptr ? life->pieces.find(event) : nullptr;
  return piece != nullptr ? std::optional(*piece) : std::nullopt;
}

std::uint32_t DeliveryTracker::Failures::count_one(const std::optional<Token>& under) {
  if (token != under) *this = {under, 0};
  return ++count;
}

}  // namespace tenure::sim
