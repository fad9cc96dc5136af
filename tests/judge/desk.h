// What the store has for others to deliver, at any place of a history, and what it must say of it (docs/executions.md).
// Everything follows from what was committed, asked and answered before, so each answer has one that is right.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/judge/invariants.h"
#include "tests/judge/outbox.h"

namespace tenure::judging {

enum class Word : std::uint8_t { lives, done, failed, returned };  // what a worker says of an attempt

// The last attempt at an event that is there.
struct Try {
  reference::ExecutionToken token;
  bool failed = false;
  bool given_back = false;
  bool makes_room = false;  // a later event has fired while somebody was at it
  StoreTime begins;         // of the claim, or of the back-off
  Duration length;

  bool is_open() const { return !failed && !given_back; }
};
struct Piece {
  std::uint64_t number = 0;  // in the order of commits
  Rules rules;
  std::optional<Try> last;
  std::set<std::uint32_t> returns = {};  // the numbers of attempts that were given back
  std::uint32_t before = 0;  // attempts before an operator put it back: none counts, and the numbers go on

  // Of the first so many attempts, those that count.
  std::uint32_t tries(std::uint32_t attempts) const;
};
// How an event has left that somebody had tried.
struct Departure {
  reference::ExecutionToken last;
  reference::Standing how = reference::Standing::completed;
  StoreTime at;
};

class Desk {
 public:
  explicit Desk(const sim::Scenario& scenario) : topics_(topics_of(scenario)) {}

  // ---- how it comes to know ----
  void note(const KeptApplied& applied);
  // Somebody claims: what the clock went back behind is counted again, and what has had its last attempt leaves.
  void before_claim(const std::string& topic, StoreTime now);
  // Rules of events are not forgotten in a failover.
  void keep_what_was_known_to(const Desk& other) { known_ = other.known_; }
  // A failover took back what was said of versions, and nothing else.
  void go_back_to_versions_of(const Desk& other) { intake_.go_back_to_versions_of(other.intake_); }

  // ---- what it knows ----
  const std::map<reference::EventId, Piece>& pieces() const { return pieces_; }
  const Piece* find(const reference::EventId& event) const;
  const Departure* departure(const reference::EventId& event) const;
  Rules rules_of(ScheduleId schedule, std::uint32_t version) const { return intake_.of(schedule, version); }
  bool is_at_work(const Piece& piece, StoreTime now) const;
  // Of an event that has to be alone: another of its schedule that comes first, or has to be alone too, is worked on,
  // or is among these.
  bool has_to_wait(const reference::EventId& event, const std::vector<reference::EventId>& given,
                   StoreTime now) const;
  // It is to come after all earlier ones of its schedule that are pulled, and is not the first of them.
  bool passes_an_earlier_one(const reference::EventId& event) const;
  std::size_t count(ScheduleId schedule) const;
  // For how long a heartbeat of this attempt asks: zero is as before, which is unknown where the claim is.
  std::optional<Duration> length_of(const reference::ExecutionToken& token, Duration asked) const;
  // Whether the answer to a worker's word about an attempt is the right one.
  bool is_right(const reference::ExecutionToken& token, Word word, reference::Standing answer) const;
  // What a claim on this topic must not leave lying, if it hands out these: their numbers.
  std::vector<reference::EventId> kept_back(const std::string& topic, const std::set<std::uint64_t>& given,
                                            bool has_room, StoreTime now) const;
  // What has left with the last fact, or claim, and nobody was told.
  const std::vector<reference::EventId>& left_in_silence() const { return silent_; }

 private:
  void note_answers(const KeptApplied& applied);
  void note_answer(const reference::ExecutionToken& token, const reference::ExecutionState& state,
                   StoreTime now, std::optional<Duration> extended);
  void make_room(ScheduleId schedule, StoreTime now);
  void put(const reference::EventId& event, const Rules& rules);
  void leave(const reference::EventId& event, reference::Standing how, StoreTime now);
  bool can_be_claimed(const reference::EventId& event, const Piece& piece,
                      const std::set<std::uint64_t>& given, StoreTime now) const;

  std::map<ScheduleId, std::string> topics_;
  Intake intake_;
  std::map<reference::EventId, Piece> pieces_;
  std::map<reference::EventId, Departure> departures_;
  std::map<reference::EventId, Rules> known_;  // of whatever was committed
  std::set<reference::EventId> dead_;
  bool held_ = false;
  StoreTime pruned_ = StoreTime::min();
  std::uint64_t numbers_ = 0;
  std::vector<reference::EventId> silent_;
};

}  // namespace tenure::judging
