// Tracks who believes that it leads, in true time: the journal's declarations, mapped through each node's clock.
//
//   1. A belief lasts from its note to the earliest of: its `until` on the clock that it names, a step-down, the
//      death of its incarnation. The end is excluded.
//   2. A later note replaces `until`; it does not begin another belief while one lasts.
//   3. When a clock has changed, every declaration on it is mapped again. A belief that had run out lasts again if its
//      clock now says so: the node itself would read the same.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/env.h"
#include "sim/checkers/trackers/record_kinds.h"
#include "sim/checkers/trackers/unread_changes.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct Belief {
  Incarnation who;
  ResourceId resource;
  std::optional<Token> token;
  Until until;
  TrueTime since;
  TrueTime end;        // as the clock runs now; max() when it has none
  bool lasts = false;  // false: it ran out, but was not given up
};

struct BeliefChange {
  enum class What : std::uint8_t { began, extended, ended };
  enum class Ending : std::uint8_t { reached, stepped_down, died };  // `reached`: its `until`
  What what = What::began;
  Ending how = Ending::reached;
  TrueTime at;    // not later than the record that showed it
  Belief belief;  // as it was
};

class BeliefTracker {
 public:
  // What it and LeadershipTracker take in (Observer::wants). What else it sees tells it the time. A reader of
  // changes_since() that is shown these misses nothing.
  static constexpr std::uint32_t kReads =
      record_mask<Noted, NodeDied, ClockChanged, NodePaused, NodeResumed>();

  explicit BeliefTracker(const View& view) : view_(view) {}

  // First ends beliefs that have run out by `now`, each at its own moment; then takes the record in.
  void see(TrueTime now, const Record& record) {
    log_.begin(is_one_of(kReads, record));
    if (now < next_end_ && is_act(record)) return;
    expire(now);
    take(now, record);
  }
  // The same, without a record.
  void advance(TrueTime now) {
    log_.begin(false);
    expire(now);
  }

  // What the last see() or advance() brought, in order of time.
  std::span<const BeliefChange> changes() const { return log_.fresh(); }
  std::span<const BeliefChange> changes_since(std::uint64_t& read) const { return log_.since(read); }
  // The one that lasts; nullptr: it does not believe to lead.
  const Belief* lasting(Incarnation who, ResourceId resource) const;
  // Beliefs that last, and beliefs that ran out without being given up.
  const std::vector<Belief>& beliefs() const { return beliefs_; }

 private:
  void expire(TrueTime now);
  void take(TrueTime now, const Record& record);
  void believe(TrueTime now, Incarnation who, const Believes& note);
  void drop(TrueTime now, Incarnation who, std::optional<ResourceId> resource, BeliefChange::Ending how);
  void map_again(TrueTime now, NodeId node);
  void find_next_end();

  const View& view_;
  std::vector<Belief> beliefs_;
  UnreadChanges<BeliefChange> log_;
  TrueTime next_end_ = TrueTime::max();
};

}  // namespace tenure::sim
