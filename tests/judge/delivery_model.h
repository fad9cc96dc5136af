// What the store has for others to deliver, at any place of a history, and what it must say of it (docs/executions.md).
// Everything follows from what was committed, asked and answered before, so each answer has one that is right.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/judge/invariants.h"
#include "tests/judge/outbox.h"

namespace tenure::judging {

enum class Word : std::uint8_t { lives, done, failed, returned };  // what a worker says of an attempt

// Each attempt that a request says something of, and what the store answered.
struct Answer {
  reference::ExecutionToken token;
  Word word = Word::lives;
  reference::Standing standing = reference::Standing::unknown;
};
std::vector<Answer> answers_in(const KeptApplied& applied);

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
struct HeldEvent {
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

class DeliveryModel {
 public:
  explicit DeliveryModel(const sim::Scenario& scenario) : topics_(topics_of(scenario)) {}

  // ---- how it comes to know ----
  void note(const KeptApplied& applied);
  // Somebody claims: what the clock went back behind is counted again, and what has had its last attempt leaves.
  void before_claim(const std::string& topic, StoreTime now);
  // The store goes on with what its replica had. Rules of events are not forgotten.
  void become(const DeliveryModel& replica);
  // A failover took back what was committed of versions and runs, and nothing else.
  void take_back_commits(const DeliveryModel& replica) { intake_ = replica.intake_; }

  // ---- what it knows ----
  const HeldEvent* find(const reference::EventId& event) const;
  const Departure* departure(const reference::EventId& event) const;
  // Of an event that was committed for others at some time, on any branch; nullptr: it never was.
  const Rules* committed(const reference::EventId& event) const;
  Rules rules_of(ScheduleId schedule, std::uint32_t version) const { return intake_.of(schedule, version); }
  // Why an event that is not over may not be handed out now, beside these; empty: it may.
  std::string why_not(const reference::ExecutionToken& token, const std::vector<reference::EventId>& given,
                      StoreTime now) const;
  // Of an event that has to be alone: another of its schedule that comes first, or has to be alone too, is worked on,
  // or is among these.
  bool has_to_wait(const reference::EventId& event, const std::vector<reference::EventId>& given,
                   StoreTime now) const;
  std::size_t count(ScheduleId schedule) const;
  // Is this the right answer to a worker's word?
  bool is_right(const Answer& answer) const;

 private:
  bool is_at_work(const HeldEvent& piece, StoreTime now) const;
  void note_claim(const reference::ExecutionToken& token, StoreTime now, Duration length);
  void note_answer(const Answer& answer, StoreTime now, Duration extended);
  void make_room(ScheduleId schedule, StoreTime now);
  void put(const reference::EventId& event, const Rules& rules);
  void leave(const reference::EventId& event, reference::Standing how, StoreTime now);

  std::map<ScheduleId, std::string> topics_;
  Intake intake_;
  Deaths deaths_;
  std::map<reference::EventId, HeldEvent> pieces_;
  std::map<reference::EventId, Departure> departures_;
  std::map<reference::EventId, Rules> committed_;
  std::set<reference::EventId> dead_;
  bool held_ = false;
  StoreTime pruned_ = StoreTime::min();
  std::uint64_t numbers_ = 0;
};

// Goes through what the store did, with what is known before each of its acts. A failover takes back what the store
// knew, or, `as_workers_know`, no more than what was committed.
void follow(
    const Case& run, bool as_workers_know,
    const std::function<void(const Kept&, std::size_t place, const KeptApplied&, DeliveryModel&)>& look);

}  // namespace tenure::judging
