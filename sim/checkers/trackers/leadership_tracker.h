// Tracks who leads, and why leadership ends. An incarnation leads while it believes that it leads and is neither paused
// nor dead.
//
// A paused incarnation cannot act, so it does not lead, though it may still believe. All resources are taken together.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/checkers/trackers/belief_tracker.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct LeadershipChange {
  enum class Cause : std::uint8_t {
    believed,      // gained: it began to believe
    resumed,       // gained: it came out of a pause and still believes
    reached,       // lost: its belief ran out
    stepped_down,  // lost
    paused,        // lost
    killed,        // lost
    stopped,       // lost: it had been asked to stop
  };
  bool gained = false;
  Cause cause = Cause::believed;
  TrueTime at;
  Incarnation who;
  TrueTime since;  // lost: when it was gained
};

class LeadershipTracker {
 public:
  explicit LeadershipTracker(const View& view) : beliefs_(view) {}

  void see(TrueTime now, const Record& record);
  void advance(TrueTime now);

  // What the last see() or advance() brought, in order of time.
  std::span<const LeadershipChange> changes() const { return log_.fresh(); }
  std::span<const LeadershipChange> changes_since(std::uint64_t& read) const { return log_.since(read); }
  const BeliefTracker& beliefs() const { return beliefs_; }
  std::size_t leaders() const { return leaders_.size(); }
  bool leads(Incarnation who) const;
  bool paused(NodeId node) const;

 private:
  struct Leader {
    Incarnation who;
    TrueTime since;
  };
  void take_belief_changes(Death death);
  void gain(TrueTime at, Incarnation who, LeadershipChange::Cause cause);
  void lose(TrueTime at, Incarnation who, LeadershipChange::Cause cause);
  // Whether it believes now, and has since `at` or longer.
  bool believes_since(Incarnation who, TrueTime at) const;

  BeliefTracker beliefs_;
  std::vector<NodeId> paused_;
  std::vector<Leader> leaders_;
  UnreadChanges<LeadershipChange> log_;
};

}  // namespace tenure::sim
