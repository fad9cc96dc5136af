// The timeline: true time, the events on it, and the running hash over every one of them.
//
// Parts of the world register as handlers and put events on the timeline; run_next() takes the next one off,
// moves the clock, adds the event to the trace hash, and hands it to its handler. Nothing else moves time.
//
// Thread rule: one timeline belongs to one run.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/hash.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

class EventHandler {
 public:
  virtual ~EventHandler() = default;
  virtual void on_event(const Event& event) = 0;
};

class Timeline {
 public:
  // Returns the number for Event::handler. The handler must outlive the timeline's last event.
  std::uint16_t add_handler(EventHandler& handler);

  TrueTime now() const { return now_; }
  // An `at` in the past or present means: now, after the events that already wait for now.
  EventHandle at(TrueTime at, const Event& event) { return queue_.push(at < now_ ? now_ : at, event); }
  bool cancel(EventHandle handle) { return queue_.cancel(handle); }

  // Runs the next event if there is one no later than `limit`; otherwise moves to `limit` and returns false. If
  // kSameTimeMax events follow one another at the same time, the world is broken, and stops.
  bool run_next(TrueTime limit);

  // Adds the consequences of an event to the trace hash.
  void mix(std::uint64_t digest) { hasher_.add(digest); }
  std::uint64_t trace_hash() const { return hasher_.value(); }
  std::uint64_t events() const { return events_; }
  std::size_t pending() const { return queue_.size(); }

 private:
  static constexpr std::uint64_t kSameTimeMax = 10'000'000;

  EventQueue queue_;
  std::vector<EventHandler*> handlers_;
  TrueTime now_;
  Hasher hasher_;
  std::uint64_t events_ = 0;
  std::uint64_t same_time_ = 0;
};

}  // namespace tenure::sim
