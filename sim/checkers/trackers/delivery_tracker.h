// Which events an instance may take from the outbox: those whose work it has seen to its end.
//
// An event stays in the outbox until its work is over, so that another takes it up when the first dies. Work is over
// when it has ended, or when the resource said that it had begun before. Work that was refused for its token is not:
// whoever leads by then has yet to do it. Nor is work that failed; when it has failed `attempts` times under one token
// it is dead, and may be given up: each leadership counts from the beginning, also a second one of the same process.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "core/store/reference/requests.h"
#include "sim/checkers/trackers/event_map.h"
#include "sim/world/record.h"

namespace tenure::sim {

class DeliveryTracker {
 public:
  enum class State : std::uint8_t { on_its_way, running, refused, failed, dead };

  explicit DeliveryTracker(std::uint32_t attempts) : attempts_(attempts) {}

  void see(const Record& record);
  // Where `who` stands with the event's work, as long as that is not over; nullopt when it is, or was never asked for.
  std::optional<State> state(Incarnation who, const reference::EventId& event) const;

 private:
  struct Failures {
    std::optional<Token> token;  // under which the work was begun
    std::uint32_t count = 0;
    // Counts one more, and returns how many there are under this token.
    std::uint32_t count_one(const std::optional<Token>& under);
  };
  struct Life {
    EventMap<State> pieces;  // not over
    EventMap<Failures> failures;
  };
  void take(const WorkLanded& landed);
  void take(const WorkEnded& ended);

  std::uint32_t attempts_;
  std::map<Incarnation, Life> lives_;  // that asked for work
};

// Why an event whose work stands there was not to be acknowledged as delivered: "before its work had begun", …
std::string_view why_not_delivered(DeliveryTracker::State state);

}  // namespace tenure::sim
