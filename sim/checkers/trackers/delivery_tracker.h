// Tracks which events an instance may take from the outbox: those whose work is over, as far as it has seen.
//
// An event stays in the outbox until its work is over, so that another instance does it if the first one dies. Work is
// over when it has ended, or when the resource said that it was done before. If it runs at another instance then, it is
// not over, whatever the resource says: it may fail. Work that was refused for its token is not over: the new leader
// has to do it. Failed work is not over either. When it has failed `attempts` times under one
// token, it is dead and may be given up. Each leadership counts from the beginning, even a second one of the same
// process.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/store/reference/event_map.h"
#include "core/store/reference/requests.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/by_life.h"
#include "sim/world/record.h"

namespace tenure::sim {

class DeliveryTracker {
 public:
  enum class State : std::uint8_t { on_its_way, running, refused, elsewhere, failed, dead };

  explicit DeliveryTracker(std::uint32_t attempts) : attempts_(attempts) {}

  void see(const Record& record);
  // The state of the event's work at `who` while it is not over; nullopt when it is over, or was never asked for.
  std::optional<State> state(Incarnation who, const reference::EventId& event) const;
  bool is_running(const reference::EventId& event) const { return running_.find(event) != nullptr; }
  // Calls see(event, why) for each event that the request is to take from the outbox, and that is not to be taken so.
  template <class See>
  void for_each_taken_wrongly(const Submitted& submitted, See&& see) const;

 private:
  struct Failures {
    std::optional<Token> token;  // the token under which the work was begun
    std::uint32_t count = 0;
    // Counts one more, and returns how many there are under this token.
    std::uint32_t count_one(const std::optional<Token>& under);
  };
  struct Life {
    reference::EventMap<State> pieces;  // not over
    reference::EventMap<Failures> failures;
  };
  void gives_up(const Submitted& submitted);
  void take(const WorkLanded& landed);
  void take(const WorkEnded& ended);

  std::uint32_t attempts_;
  ByLife<Life> lives_;                          // that asked for work
  reference::EventMap<std::uint32_t> running_;  // how often, anywhere
};

// Why an event with work in this state must not be acknowledged as delivered: "before its work had begun", …
std::string_view why_not_delivered(DeliveryTracker::State state);

template <class See>
void DeliveryTracker::for_each_taken_wrongly(const Submitted& submitted, See&& see) const {
  const Request& request = submitted.submission.request;
  if (const auto* ack = reference_request<reference::AckEvents>(request))
    for (const reference::DeliveredEvent& had : ack->events)
      if (const auto wrong = state(submitted.who, had.id); wrong && had.kind == Delivery::Kind::work)
        see(had.id, why_not_delivered(*wrong));
  if (const auto* given_up = reference_request<reference::GiveUpEvents>(request))
    for (const reference::DeadEvent& dead : given_up->events)
      if (state(submitted.who, dead.id) != State::dead)
        see(dead.id, "as dead, although it had not failed often enough");
}

}  // namespace tenure::sim
