// The world as a node sees it. Core touches the world only through this interface.
//
// An Env is handed to each step and never kept. In the simulator it is the kernel's; in production it is the
// runtime's; in a step test it is a list. Three rules hold everywhere:
//
//   1. Clock readings do not change within a step.
//   2. Effects (send, submit, execute) leave one by one after the step, in order, each later than the one before. A
//      kill drops the effects that have not left; a pause holds them back. So a step's decision can be long out of date
//      when its effect happens.
//   3. Every submit is answered exactly once, by a StoreReplied, unless the incarnation ends. Nothing below this
//      interface retries or removes duplicates: that is the protocol's business, because a retry with the first
//      attempt's answer would count belief from the wrong send.
//
// Timers, journal notes and the disk are the node's own and take effect at once.
//
// Thread rule: used by the stepping thread, during the step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/model/input.h"

namespace tenure {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonoTime mono() const = 0;
  virtual WallTime wall() const = 0;
  // Fires once, at the first moment at which mono() >= deadline, or later. Replaces the timer of the same id,
  // even if that one is already due and waiting.
  virtual void set_timer(TimerId timer, MonoTime deadline) = 0;
  // Does nothing when there is no such timer.
  virtual void cancel_timer(TimerId timer) = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  // May be lost, delayed or delivered twice.
  virtual void send(NodeId to, Message message) = 0;
};

// How many connections to a store a part can keep at a time.
inline constexpr std::uint8_t kLanes = 8;

struct Submission {
  StoreId store;
  Part part = Part::elector;
  Request request;
  MonoTime deadline;       // no answer by then, sent or not: the driver answers `unknown`
  bool as_leader = false;  // an act that leadership must cover; checkers compare it with the declared belief
  // Which of its part's connections it travels on, below kLanes; most need one. Order holds within one connection only.
  std::uint8_t lane = 0;
};

class Store {
 public:
  virtual ~Store() = default;
  virtual RequestId submit(Submission submission) = 0;
};

// One fire's work, done in the outside world.
struct WorkItem {
  ResourceId resource;
  reference::EventId event;
  std::optional<Token> token;  // shown to the resource, which refuses a token older than one it has seen
  bool once = false;  // event is an idempotency key: the resource begins it once, until it says `failed`
  // Where the event is to be sent, by the name of a destination; empty: it is work of this process.
  std::string destination = {};
  // Of an event that is sent. Its number in the outbox: it grows with each of a schedule's events. And which attempt
  // this is, from 1, under this token.
  std::uint64_t sequence = 0;
  std::uint32_t attempt = 0;
};

// A write of a leader to the same outside world, under its token. It is no fire: no schedule asks for it.
struct WriteItem {
  ResourceId resource;
  std::uint64_t number = 0;  // by which its answer is known
  std::optional<Token> token;
};

class Work {
 public:
  virtual ~Work() = default;
  // Answered by one WorkDone, unless the incarnation ends.
  virtual void execute(const WorkItem& item) = 0;
  // Answered by one WriteDone, unless the incarnation ends.
  virtual void write(const WriteItem& item) = 0;
};

// The time until which a node believes, on the clock that it uses for this.
struct Open {  // no end of its own: until it steps down
  bool operator==(const Open&) const = default;
};
using Until = std::variant<MonoTime, WallTime, Open>;

// From now until `until` the node may act as the leader. Noted at the start of a leadership and at each extension.
struct Believes {
  ResourceId resource;
  std::optional<Token> token;
  Until until;
};
// The node does not act as the leader from now on.
struct StepsDown {
  ResourceId resource;
  std::string_view why;
};
// The node has just checked that it leads, and is about to act. Classic zombie writes begin here.
struct LeadershipChecked {
  ResourceId resource;
};
// The store's clock was seen to jump against the monotonic clock.
struct ClockAlarm {
  Duration jump;
};
// A protocol's own remark for its trace.
struct Annotation {
  std::string_view text;
  std::int64_t value = 0;
};
// A requested stop is complete: the incarnation ends when the effects so far have left.
struct Stopped {};
// The node's program has failed and does nothing more in this life: an error in a design that a user brought.
struct DesignError {
  std::string_view what;
};

using Note =
    std::variant<Believes, StepsDown, LeadershipChecked, ClockAlarm, Annotation, Stopped, DesignError>;

class Journal {
 public:
  virtual ~Journal() = default;
  // Texts in the note live for the call: who keeps one copies it.
  virtual void note(const Note& note) = 0;
};

class Random {
 public:
  virtual ~Random() = default;
  // A number in [0, n). REQUIRES: n > 0. `purpose` (a literal) keys the draw, so that a draw for one purpose
  // does not disturb those for another.
  virtual std::uint64_t choose(std::uint64_t n, std::string_view purpose) = 0;
  // 64 random bits, never 0: a nonce.
  virtual std::uint64_t nonce(std::string_view purpose) = 0;
};

// A small store of the machine's own. The next life finds in it what was synced, and, of what was written later, the
// first few writes or all of them.
class Disk {
 public:
  virtual ~Disk() = default;
  // Writes are numbered from 1. 0: there is no room, and nothing was written.
  virtual std::uint64_t put(const std::string& key, const std::string& value) = 0;
  // As it was put last, synced or not.
  virtual std::optional<std::string> get(const std::string& key) const = 0;
  // All that get() finds, by key.
  virtual std::map<std::string, std::string> contents() const = 0;
  // The writes up to this one are safe. A sync takes time: a node that waits for it calls this when the time is over.
  virtual void sync(std::uint64_t write) = 0;
};

struct Env {
  Clock& clock;
  Network& network;
  Store& store;
  Work& work;
  Journal& journal;
  Random& random;
  Disk& disk;
};

}  // namespace tenure
