// The laws of executions, over drawn histories: a leader that fires and triggers; workers that claim, extend, complete,
// and fail, with tokens of now and of long ago; pollers that acknowledge; operators that redrive; holds; a store whose
// clock steps both ways. The model follows requests and replies, event by event, and knows nothing of the store.
//
//   1. An event is handed out only when no claim on it stands, and nobody else's of its schedule if these come one at a
//      time; in strict order only the first of them; after a failure only when its back-off is over.
//   2. What could be handed out, is: in the order of commits.
//   3. Attempts count up by one. An attempt that was the last is not followed by another: the event is dead.
//      One that was given back does not count, and its event can be handed out at once.
//   4. An end is accepted until the event is handed out again, and answered in the same way whenever it is repeated.
//   5. A slot overlaps exactly when its schedule's policy and the number of its events that wait say so.
//   6. Each event that fired is in one place: it waits, is done, is dead, or was replaced.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tests/core/store/reference_fixture.h"

namespace tenure::reference::reference_execution_property_tests {
namespace {

using Op = std::tuple<int, int, int>;
constexpr int kKinds = 18;
constexpr std::uint32_t kAttempts = 3;
const Duration kBackOff = Duration::seconds(2);
const Duration kLongest = Duration::seconds(3);

rc::Gen<std::vector<Op>> operations() {
  return rc::gen::container<std::vector<Op>>(rc::gen::tuple(
      rc::gen::inRange<int>(0, kKinds), rc::gen::inRange(0, 1'000), rc::gen::inRange(0, 1'000)));
}

struct Policy {
  Overlap overlap = Overlap::allow;
  bool strict = false;
  const char* topic = "a";
};
constexpr Policy kPolicies[] = {{},
                                {Overlap::skip},
                                {Overlap::queue_one, false, "b"},
                                {Overlap::replace},
                                {Overlap::allow, true},
                                {Overlap::replace, true, "b"}};

// What the model knows of an event, by what was said and answered.
struct EventModel {
  EventId id;
  std::uint64_t seq = 0;
  Policy policy = {};  // of the version that fired it
  enum class Place { waits, done, dead, replaced } place = Place::waits;
  std::uint32_t attempt = 0;
  std::uint64_t nonce = 0;
  bool open = false;  // the attempt was neither ended nor is it over
  bool told_to_stop = false;
  bool given_back = false;     // the attempt
  std::uint32_t released = 0;  // so many attempts were
  StoreTime from = {};
  StoreTime until = {};
};

class World {
 public:
  World() {
    token_ = reference_.lead(kLeader, Duration::hours(24 * 3'000));
    for (std::uint32_t i = 1; i <= std::size(kPolicies); ++i) put(i, kPolicies[i - 1]);
  }

  void run(const Op& op) {
    const auto [kind, a, b] = op;
    switch (kind) {
      case 0: reference_.now += Duration::millis(a * 10); break;
      case 1: reference_.now = std::max(at(900), reference_.now + Duration::millis((a - 500) * 20)); break;
      case 2:
      case 3:
      case 4: fire(schedule_of(a)); break;
      case 5: trigger(schedule_of(a)); break;
      case 6:
      case 7:
      case 8:
        claim(a % 3 == 0 ? "b" : "a", 1 + static_cast<std::uint32_t>(b) % 4, Duration::millis(1 + b * 10));
        break;
      case 9: extend(a, b % 4 == 0 ? Duration{} : Duration::millis(1 + b * 5)); break;
      case 10:
      case 11: end(a, b, false); break;
      case 12:
      case 13: end(a, b, true); break;
      case 14: acknowledge_or_redrive(a, b); break;
      case 15: release(a, b); break;
      case 16: put(schedule_of(a), kPolicies[static_cast<std::size_t>(b) % std::size(kPolicies)]); break;
      default: hold(a % 2 == 0);
    }
    what_waits_is_what_the_model_says();
  }

 private:
  static std::uint32_t schedule_of(int a) {
    return 1 + static_cast<std::uint32_t>(a) % std::uint32_t{std::size(kPolicies)};
  }
  static bool one_at_a_time(const EventModel& event) {
    return event.policy.overlap != Overlap::allow || event.policy.strict;
  }
  bool stands(const EventModel& event) const {
    return event.place == EventModel::Place::waits && event.open && (held_ || reference_.now < event.until);
  }
  std::vector<EventModel*> waiting_of(std::uint32_t schedule) {
    std::vector<EventModel*> found;
    for (EventModel& event : events_)
      if (event.id.schedule.value == schedule && event.place == EventModel::Place::waits)
        found.push_back(&event);
    return found;
  }
  EventModel* waiting(const EventId& id) {
    for (EventModel& event : events_)
      if (event.id == id && event.place == EventModel::Place::waits) return &event;
    return nullptr;
  }

  void put(std::uint32_t schedule, const Policy& policy) {
    std::vector<Policy>& versions = versions_[schedule - 1];
    Definition definition = every(Duration::millis(700), at(1'000));
    definition.overlap = policy.overlap;
    definition.delivery.kind = Delivery::Kind::pull;
    definition.delivery.strict_order = policy.strict;
    definition.delivery.attempts = kAttempts;
    definition.delivery.back_off = kBackOff;
    definition.delivery.longest_back_off = kLongest;
    Payload payload;
    payload.topic = policy.topic;
    std::optional<Edition> before;
    if (!versions.empty()) before = Edition{{schedule}, static_cast<std::uint32_t>(versions.size())};
    reference_.expect<NamedEdited>(
        PutNamed{kResource, "s" + std::to_string(schedule), before, definition, payload, ""});
    versions.push_back(policy);
  }

  void fire(std::uint32_t schedule) {
    if (held_) return;
    for (const Segment& segment : reference_.due(reference_.now + kMicro).segments) {
      if (segment.schedule.value != schedule) continue;
      const StoreTime slot = segment.cursor;
      const StoreTime to = std::min(segment.end, slot + Duration::millis(700));
      const RowResult result = reference_.cover(kLeader, token_, fired(schedule, segment.version, slot, to));
      const Policy& policy = versions_[schedule - 1][segment.version - 1];
      const Overlap overlap = policy.overlap;
      const std::size_t before = waiting_of(schedule).size();
      const bool overlaps =
          (overlap == Overlap::skip && before > 0) || (overlap == Overlap::queue_one && before > 1);
      RC_ASSERT(result == (overlaps ? RowResult::overlapped : RowResult::covered));  // law 5
      if (overlaps) return;
      if (overlap == Overlap::replace)
        for (EventModel* event : waiting_of(schedule)) {
          if (event->id.run != 0) continue;
          if (stands(*event))
            event->told_to_stop = true;
          else
            event->place = EventModel::Place::replaced;
        }
      events_.push_back({.id = {{schedule}, slot, 0}, .seq = ++seq_, .policy = policy});
      return;
    }
  }
  void trigger(std::uint32_t schedule) {
    reference_.expect<Edited>(TriggerSchedule{kResource, {schedule}, ++runs_, reference_.now});
    events_.push_back(
        {.id = {{schedule}, reference_.now, runs_}, .seq = ++seq_, .policy = versions_[schedule - 1].back()});
  }

  // Law 1.
  bool may_be_handed_out(const EventModel& event) {
    if (stands(event)) return false;
    if (!event.open && event.attempt > 0 && reference_.now < event.until) return false;
    if (!one_at_a_time(event)) return true;
    for (const EventModel* other : waiting_of(event.id.schedule.value)) {
      if (event.policy.strict && other->seq < event.seq) return false;
      if (stands(*other) && (other->seq < event.seq || one_at_a_time(*other))) return false;
    }
    return true;
  }
  void claim(const std::string& topic, std::uint32_t max, Duration duration) {
    for (EventModel& event : events_)  // the clock went back: all of a claim is counted again
      if (event.place == EventModel::Place::waits && event.attempt > 0 && reference_.now < event.from) {
        event.until = reference_.now + (event.until - event.from);
        event.from = reference_.now;
      }
    const std::uint64_t nonce = ++nonces_;
    const auto given =
        reference_.expect<ClaimedExecutions>(ClaimExecutions{kResource, topic, max, duration, "w", nonce})
            .executions;
    // Those that turn out to be over: the last attempt timed out, or a later event has taken the place.
    for (EventModel& event : events_) {
      const bool over = event.place == EventModel::Place::waits && topic == event.policy.topic &&
                        event.open && !stands(event) && (event.told_to_stop || is_last(event));
      if (over) event.place = event.told_to_stop ? EventModel::Place::replaced : EventModel::Place::dead;
    }
    std::size_t next = 0;
    for (EventModel& event : events_) {  // law 2
      if (event.place != EventModel::Place::waits || topic != event.policy.topic) continue;
      if (next == max || !may_be_handed_out(event)) continue;
      RC_ASSERT(next < given.size());
      const Execution& execution = given[next++];
      RC_ASSERT(execution.token.event == event.id);
      RC_ASSERT(execution.seq == event.seq);
      RC_ASSERT(execution.token.attempt == event.attempt + 1);  // law 3
      RC_ASSERT(execution.token.attempt - event.released <= kAttempts);
      RC_ASSERT(execution.token.nonce == nonce);
      RC_ASSERT(execution.until == reference_.now + duration);
      event.attempt += 1;
      event.nonce = nonce;
      event.open = true;
      event.given_back = false;
      event.from = reference_.now;
      event.until = execution.until;
      tokens_.push_back(execution.token);
    }
    RC_ASSERT(next == given.size());
  }

  // Law 4: of a token, what the event's last attempt was, or that there was a later one.
  Standing of_the_past(const ExecutionToken& token) {
    const auto event = std::find_if(events_.rbegin(), events_.rend(),
                                    [&](const EventModel& one) { return one.id == token.event; });
    if (event->place == EventModel::Place::waits || event->attempt != token.attempt ||
        event->nonce != token.nonce)
      return Standing::reissued;
    switch (event->place) {
      case EventModel::Place::done: return Standing::completed;
      case EventModel::Place::dead: return Standing::dead;
      default: return Standing::replaced;
    }
  }
  EventModel* current(const ExecutionToken& token) {
    EventModel* event = waiting(token.event);
    return event != nullptr && event->attempt == token.attempt && event->nonce == token.nonce ? event
                                                                                              : nullptr;
  }
  const ExecutionToken* some_token(int a) {
    if (tokens_.empty()) return nullptr;
    const std::size_t back =
        static_cast<std::size_t>(a) % std::min<std::size_t>(tokens_.size(), a % 4 == 0 ? 99 : 5);
    return &tokens_[tokens_.size() - 1 - back];
  }
  void extend(int a, Duration duration) {
    const ExecutionToken* token = some_token(a);
    if (token == nullptr) return;
    const ExecutionState state =
        reference_.expect<ExecutionStates>(ExtendExecutions{kResource, duration, {*token}}).executions.at(0);
    EventModel* event = current(*token);
    if (event == nullptr) return RC_ASSERT(state.standing == of_the_past(*token));
    if (!event->open) return RC_ASSERT(state.standing == when_over(*event) && state.until == event->until);
    RC_ASSERT(state.standing == (event->told_to_stop ? Standing::cancelled : Standing::claimed));
    event->until = reference_.now + (duration == Duration{} ? event->until - event->from : duration);
    event->from = reference_.now;
    RC_ASSERT(state.until == event->until);
  }
  void end(int a, int b, bool failed) {
    const ExecutionToken* token = some_token(a);
    if (token == nullptr) return;
    const EndExecutions asked{kResource, {{*token, failed, failed ? "why" : ""}}};
    const ExecutionState state = reference_.expect<ExecutionStates>(asked).executions.at(0);
    EventModel* event = current(*token);
    if (event == nullptr) {
      RC_ASSERT(state.standing == of_the_past(*token));
    } else if (!failed) {
      RC_ASSERT(state.standing == Standing::completed);
      event->place = EventModel::Place::done;
    } else if (event->open && (event->told_to_stop || is_last(*event))) {
      event->place = event->told_to_stop ? EventModel::Place::replaced : EventModel::Place::dead;
      RC_ASSERT(state.standing == (event->told_to_stop ? Standing::replaced : Standing::dead));
    } else {
      if (event->open) {
        event->from = reference_.now;
        event->until = reference_.now + (event->attempt - event->released == 1 ? kBackOff : kLongest);
        event->open = false;
      }
      RC_ASSERT(state.standing == when_over(*event) && state.until == event->until);
    }
    if (b % 3 != 0) return;
    const std::uint64_t before = reference_.hash();
    const ExecutionState again = reference_.expect<ExecutionStates>(asked).executions.at(0);
    RC_ASSERT(again.standing == state.standing && again.until == state.until);
    RC_ASSERT(reference_.hash() == before);
  }

  static bool is_last(const EventModel& event) { return event.attempt - event.released >= kAttempts; }
  static Standing when_over(const EventModel& event) {
    return event.given_back ? Standing::released : Standing::failed;
  }
  void release(int a, int b) {
    const ExecutionToken* token = some_token(a);
    if (token == nullptr) return;
    const ReleaseExecutions asked{kResource, {*token}};
    const ExecutionState state = reference_.expect<ExecutionStates>(asked).executions.at(0);
    EventModel* event = current(*token);
    if (event == nullptr) {
      RC_ASSERT(state.standing == of_the_past(*token));
    } else if (event->open && event->told_to_stop) {
      event->place = EventModel::Place::replaced;
      RC_ASSERT(state.standing == Standing::replaced);
    } else {
      if (event->open) {
        event->from = event->until = reference_.now;
        event->open = false;
        event->given_back = true;
        ++event->released;
      }
      RC_ASSERT(state.standing == when_over(*event) && state.until == event->until);
    }
    if (b % 3 != 0) return;
    const std::uint64_t before = reference_.hash();
    const ExecutionState again = reference_.expect<ExecutionStates>(asked).executions.at(0);
    RC_ASSERT(again.standing == state.standing && again.until == state.until);
    RC_ASSERT(reference_.hash() == before);
  }

  void acknowledge_or_redrive(int a, int b) {
    if (events_.empty()) return;
    EventModel& event = events_[static_cast<std::size_t>(a) % events_.size()];
    if (b % 2 == 0) {
      EventModel* known = waiting(event.id);
      const DeliveredEvent elsewhere{event.id, b % 4 == 0 ? Delivery::Kind::pull : Delivery::Kind::push,
                                     "elsewhere"};
      const std::uint64_t hash = reference_.hash();
      RC_ASSERT(reference_.expect<Acknowledged>(AckEvents{kResource, {elsewhere, {event.id}}}).claimed == 0U);
      RC_ASSERT(reference_.hash() == hash);
      const DeliveredEvent had{event.id, Delivery::Kind::pull};
      const std::uint64_t claimed = reference_.expect<Acknowledged>(AckEvents{kResource, {had}}).claimed;
      RC_ASSERT(claimed == (known != nullptr && stands(*known) ? 1U : 0U));
      if (known != nullptr && !stands(*known)) known->place = EventModel::Place::done;
      return;
    }
    const std::uint64_t redriven = reference_.expect<Redriven>(Redrive{kResource, {event.id}}).events;
    RC_ASSERT(redriven == (event.place == EventModel::Place::dead ? 1U : 0U));
    if (redriven == 0) return;
    EventModel again{.id = event.id, .seq = ++seq_, .policy = event.policy};
    again.attempt = again.released = event.attempt;  // the numbers go on, and none of them counts
    events_.erase(events_.begin() +
                  static_cast<std::ptrdiff_t>(static_cast<std::size_t>(a) % events_.size()));
    events_.push_back(again);
  }
  void hold(bool on) {
    if (on) {
      reference_.expect<HoldSet>(SetHold{kResource, kLeader, token_, Duration::hours(1)});
    } else {
      reference_.expect<HoldSet>(ClearHold{kResource, kLeader, token_});
      for (EventModel& event : events_) {
        if (event.place != EventModel::Place::waits || event.attempt == 0) continue;
        if (!event.open && reference_.now >= event.from) continue;
        event.until = reference_.now + (event.until - event.from);
        event.from = reference_.now;
      }
    }
    held_ = on;
  }

  void what_waits_is_what_the_model_says() {  // law 6
    std::vector<const EventModel*> expected;
    std::size_t dead = 0;
    for (const EventModel& event : events_) {
      if (event.place == EventModel::Place::waits) expected.push_back(&event);
      if (event.place == EventModel::Place::dead) ++dead;
    }
    const auto events = reference_.expect<WaitingEvents>(ReadWaiting{kResource}).events;
    RC_ASSERT(events.size() == expected.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      RC_ASSERT(events[i].id == expected[i]->id);
      RC_ASSERT(events[i].seq == expected[i]->seq);
      RC_ASSERT(events[i].attempt == expected[i]->attempt);
      RC_ASSERT(events[i].claimed == stands(*expected[i]));
    }
    RC_ASSERT(reference_.expect<Dead>(ReadDead{kResource, 10'000}).events.size() == dead);
    RC_ASSERT(reference_.outbox().events.empty());
  }

  ReferenceFixture reference_;
  Token token_;
  std::array<std::vector<Policy>, std::size(kPolicies)> versions_;  // of each schedule
  std::vector<EventModel> events_;                                  // by seq
  std::vector<ExecutionToken> tokens_;
  std::uint64_t seq_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t nonces_ = 0;
  bool held_ = false;
};

RC_GTEST_PROP(ReferenceExecutionProperty, hands_events_out_as_the_model_does, ()) {
  World world;
  for (const Op& op : *operations()) world.run(op);
}

}  // namespace
}  // namespace tenure::reference::reference_execution_property_tests
