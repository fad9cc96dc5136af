// Events that are not the leader's own work: they wait in the store until consumers claim or acknowledge them (pull),
// or until the leader has sent them (push).
//
// A claim is not a lock. It stands for a duration of the store's clock, and the worker extends it by heartbeats. When
// it is over, the event is handed out again as the next attempt, while the worker before may still be at it: it may
// stand still, or be cut off. So work that must not be done twice carries the attempt as a fencing token to where its
// effects land; (attempt, nonce) says who the store believes is at work. Numbers of attempts go on after a replay by an
// operator (Redrive), too: the resource takes the next one. (docs/executions.md)
//
// Thread rule: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/schedule/definition.h"
#include "core/store/reference/named.h"

namespace tenure::reference {

// ---- what waits ------------------------------------------------------------------------------------------

// Events of one kind that wait, in the order of their numbers, after the event `after`.
struct ReadWaiting {
  ResourceId resource;
  Delivery::Kind kind = Delivery::Kind::pull;  // pull or push
  std::optional<std::string> name = {};        // of that topic (pull) or that destination (push) alone
  std::uint64_t after = 0;                     // a WaitingEvent::seq
  std::uint32_t limit = 1000;
};
struct WaitingEvent {
  std::uint64_t seq =
      0;  // commit order within the resource; events of the outbox have theirs in the same row of numbers
  EventId id;
  std::uint32_t version = 0;  // that fired
  std::string name;           // its topic or destination
  StoreTime at;               // when it was committed
  std::uint32_t attempt = 0;  // the last one; 0: nobody has claimed it
  bool claimed = false;       // this attempt has not ended, and its claim may stand
  StoreTime until = {};       // claimed: until when; else, after an attempt: when it may be claimed again
  std::string worker = {};    // of the last attempt
  Delivery delivery = {};     // as the version that fired it says
};
struct WaitingEvents {
  std::vector<WaitingEvent> events;
  bool more = false;
};

// How much waits for delivery. For metrics: it costs no more than kCounted rows each.
struct ReadDepths {
  ResourceId resource;
  bool ahead = false;  // count schedules that are ahead, too: all of them are looked at
};
inline constexpr std::uint64_t kCounted = 100'000;
struct Depth {
  std::uint64_t events = 0;  // kCounted stands for so many or more
  StoreTime oldest = {};     // when the one with the least number was committed; nothing where there are none
};
struct Depths {
  Depth work;  // the outbox
  Depth pull;
  Depth push;
  Depth dead;  // oldest: when the one with the least number died
  // Schedules that are covered further than the store's clock has come: it was ahead, and they are silent until then.
  std::uint64_t ahead = 0;
  StoreTime ahead_until = {};  // the last of them; nothing where there are none
};

// ---- executions ------------------------------------------------------------------------------------------

// One attempt at an event.
struct ExecutionToken {
  EventId event;
  std::uint32_t attempt = 0;  // from 1
  std::uint64_t nonce = 0;    // drawn by the worker for the claim
  bool operator==(const ExecutionToken&) const = default;
};

// Hands out events of a topic, in the order of their numbers, at most `max`. Who asks again because the answer was lost
// is given others; those that he does not know of are handed out again when their claims are over.
struct ClaimExecutions {
  ResourceId resource;
  std::string topic;
  std::uint32_t max = 1;
  Duration duration;        // for which the claim stands without a heartbeat; positive, in whole microseconds
  std::string worker;       // for people
  std::uint64_t nonce = 0;  // fresh for each claim
};
inline constexpr Duration kLongestClaim = Duration::hours(24 * 30);
struct Execution {
  ExecutionToken token;
  std::uint64_t seq = 0;      // the event's number
  std::uint32_t version = 0;  // that fired: ReadPayloads has its payload
  StoreTime until;            // the claim stands until then
};
struct ClaimedExecutions {
  std::vector<Execution> executions;
};

// Heartbeats.
struct ExtendExecutions {
  ResourceId resource;
  // As in a claim. Zero: as in the claim, or in the last heartbeat that said one.
  Duration duration;
  std::vector<ExecutionToken> executions;
};
// What an attempt is now.
enum class Standing : std::uint8_t {
  claimed,  // the claim stands
  cancelled,  // likewise, and the worker is asked to stop: a later event is to take its place (Overlap::replace)
  failed,     // it failed, and the event waits for the next attempt
  completed,  // it is done
  dead,       // it failed, and was the last attempt
  replaced,   // it is over, and a later event has taken its place
  reissued,   // the event was handed out again, or put back by an operator
  unknown,    // there is no such event, or what became of it has been forgotten
  released,   // the worker gave it back, and the event may be claimed again
};
struct ExecutionState {
  Standing standing = Standing::unknown;
  StoreTime until = {};  // claimed, cancelled: until when; failed, released: when it may be claimed again
};
// The answer to heartbeats, ends and returns: one for each that was asked, in order.
struct ExecutionStates {
  std::vector<ExecutionState> executions;
};

// Attempts that are over. Idempotent, and accepted until the event is handed out again, however late. One that failed
// can still be completed: the work was done after all.
struct ExecutionEnd {
  ExecutionToken token;
  bool failed = false;
  std::string why = {};  // of a failure, for people
};
struct EndExecutions {
  ResourceId resource;
  std::vector<ExecutionEnd> ends;
};

// Attempts that their workers give back without having done them, because they stop, for example. Their events may be
// claimed again at once, and these attempts do not count. Idempotent, and accepted as ends are.
struct ReleaseExecutions {
  ResourceId resource;
  std::vector<ExecutionToken> executions;
};

// ---- instances -------------------------------------------------------------------------------------------

// Gives an instance a number that no other instance of the resource has or ever had. Idempotent by the key. Asked again
// now and then, it also says that the instance is alive.
struct RegisterNode {
  ResourceId resource;
  std::string key;   // drawn at random by the instance, once for its life
  std::string name;  // for people: its host, for example
};
// Numbers below it are for instances that are given theirs by hand.
inline constexpr std::uint32_t kFirstRegistered = 1'000;
struct NodeRegistered {
  NodeId node;
};
struct ReadNodes {
  ResourceId resource;
};
struct RegisteredNode {
  NodeId node;
  std::string name;
  StoreTime since;  // when it was first registered
  StoreTime seen;   // when it was last
};
struct RegisteredNodes {
  std::vector<RegisteredNode> nodes;  // by number
};

// Why the caller's part of a request is wrong, as for requests by name (named.h).
std::string problem_of(const ClaimExecutions& asked);
std::string problem_of(const ExtendExecutions& asked);
std::string problem_of(const EndExecutions& asked);
std::string problem_of(const RegisterNode& asked);

// ---- how a waiting event is judged: by the machine, and by the real stores -------------------------------

// How events of a version are delivered.
struct DeliveryRules {
  Overlap overlap = Overlap::allow;
  Delivery delivery;
  bool operator==(const DeliveryRules&) const = default;
  void hash(auto& sink) const { fold(sink, overlap, delivery); }

  bool is_pulled() const { return delivery.kind == Delivery::Kind::pull; }
  // Of the schedule's events at most one is handed out at a time.
  bool one_at_a_time() const { return overlap != Overlap::allow || delivery.strict_order; }
};
DeliveryRules rules_of(const Definition& definition);
// What becomes of a slot while so many events of its schedule wait or run: true, it is overlapped and does not fire.
bool is_overlapped(const DeliveryRules& rules, std::size_t waiting);

// The last attempt at an event that waits.
struct Attempt {
  std::uint32_t number = 0;  // 0: there was none
  std::uint64_t nonce = 0;
  bool claimed = false;        // it has not ended
  bool cancelled = false;      // its worker is asked to stop
  StoreTime from;              // claimed: the claim, or its last extension, stands in [from, until);
  StoreTime until;             // failed: the event waits in it; otherwise nothing
  std::uint32_t released = 0;  // of the attempts up to this one, so many were given back

  bool operator==(const Attempt&) const = default;
  void hash(auto& sink) const { fold(sink, number, nonce, claimed, cancelled, from, until, released); }

  bool is_of(const ExecutionToken& token) const {
    return number != 0 && number == token.attempt && nonce == token.nonce;
  }
  // While a hold is set nothing times out: the clock is in doubt.
  bool stands(StoreTime now, bool held) const { return claimed && (held || now < until); }
  // That count.
  std::uint32_t spent() const { return number - released; }
  // It was given back: the event waits for nothing, and after a failure it always does.
  bool is_released() const { return number != 0 && !claimed && until == from; }
  Standing when_over() const { return is_released() ? Standing::released : Standing::failed; }
  // None of those so far counts any more.
  static Attempt begun_anew(std::uint32_t number) {
    Attempt anew;
    anew.number = anew.released = number;
    return anew;
  }
  void release(StoreTime now) {
    claimed = false;
    from = until = now;
    ++released;
  }
  bool backs_off(StoreTime now) const { return !claimed && number != 0 && now < until; }
  // The clock went back, or is right again after a hold: what stands is counted anew from now.
  void count_again(StoreTime now) {
    until = now + (until - from);
    from = now;
  }
};

}  // namespace tenure::reference
