// What a node can be told. Failures are inputs like any other: nothing here throws, nothing blocks.
//
// Delivery: one input a step. Replies of one connection arrive in the order they were sent; messages and notifications
// may overtake each other. A driver that gave up on an answer continues over a new connection. After a pause, overdue
// timers and waiting inputs of different channels arrive in any order.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/store/store_machine.h"

namespace tenure {

// What one node says to another. The protocol gives kind and words their meaning.
struct Message {
  std::string kind;  // for people and traces: short, lower case
  std::vector<std::int64_t> words;
  bool operator==(const Message&) const = default;
};

// The first input of an incarnation, and of no other.
struct Started {
  Incarnation self;
  std::uint32_t cluster_size = 1;  // nodes 0 … cluster_size - 1 exist, running or not
};

struct TimerFired {
  TimerId timer;
};

struct MessageReceived {
  NodeId from;
  Message message;
};

// What the driver knows about what became of a request.
enum class RequestOutcome : std::uint8_t {
  applied,   // executed once; `reply` is the store's answer
  rejected,  // certainly not executed, now or later; `rejection` says why
  unknown,   // no answer by the deadline, or the connection broke: executed, or not, or still to be
};
enum class Rejection : std::uint8_t {
  none,           // not rejected
  unreachable,    // the connection was refused before the request was sent
  overloaded,     // the store's queue is full
  not_permitted,  // the account may not do this, or not any more
};

// The one answer to a submit.
struct StoreReplied {
  StoreId store;
  Part part = Part::elector;  // which part had submitted it
  RequestId id;
  MonoTime sent_at;  // mono() of the submitting step: what belief is counted from
  RequestOutcome outcome = RequestOutcome::unknown;
  Rejection rejection = Rejection::none;
  StoreTime store_time;  // applied only: the store_now that apply() saw
  Reply reply;           // applied only
};

struct ChangeNotified {
  StoreId store;
  Notification what;
};

// How a fire's work in the outside world ended.
enum class WorkResult : std::uint8_t {
  done,       // begun here, and finished
  stopped,    // begun here, and stopped half way because leadership was lost
  fenced,     // refused by the resource: it has seen a newer token
  running,    // refused by the resource: this event was begun before, and its work may still fail: ask again
  duplicate,  // refused by the resource: this event was begun before, and its work is over
  failed,     // begun here, and failed: it is to be begun again
};
struct WorkDone {
  reference::EventId event;
  WorkResult result = WorkResult::done;
  // A destination that failed asks not to be sent this event again for so long; zero: it asks for nothing.
  Duration retry_after = {};
  // Of a failure, for people: what a dead event is kept with, as reference::as_reason has it. No journal has it.
  std::string why = {};
  // Of a failure: nothing was sent, so the destination has not refused anything. It is begun again, and does not count.
  bool unsent = false;
};

// What became of a write to the outside world.
struct WriteDone {
  std::uint64_t number = 0;
  bool fenced = false;  // refused: the resource has seen a newer token
};

// Please finish what runs, give up leadership, and say Stopped. A kill may follow.
struct StopAsked {};

using Input = std::variant<Started, TimerFired, MessageReceived, StoreReplied, ChangeNotified, WorkDone,
                           WriteDone, StopAsked>;

}  // namespace tenure
