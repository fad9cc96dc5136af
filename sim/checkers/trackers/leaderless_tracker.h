// Tracks times without a leader: how long, why, and what ended them.
//
// A leaderless time begins when the last leadership ends (leadership_tracker.h). Its cause is what ended the
// leadership: a crash, a pause, a deploy, or the fault that kept the node from renewing (fault_tracker.h). If a fault
// began it and a new belief ends it, it is a failover. Its length counts from the fault, or from the leadership's end
// if the fault is older than the leadership. Where leadership goes round, handing it on is no loss: a fault may have
// made the next token slow, but no fault ended a leadership, and it is no failover.
//
// Instants are no leaderships. Leaderships with gaps between them of at most kMostGap, and no longer than the
// leadership before, are one turn; a turn of less than kLeastTurn that no fault ended, with a longer gap after it, ends
// no leaderless time.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/checkers/trackers/fault_tracker.h"
#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct LeaderlessTime {
  FaultCause why = FaultCause::start;
  TrueTime from;
  TrueTime to;
  std::optional<Duration> failover;
  std::optional<Incarnation> lost_by;
  std::optional<Incarnation> ended_by;
  std::uint64_t fault = 0;  // the fault that ended the leadership; 0: none
};

class LeaderlessTracker {
 public:
  // `leadership`: sees each record before.
  LeaderlessTracker(const Scenario& scenario, const LeadershipTracker& leadership);

  void see(TrueTime now, const Record& record);
  // A store executed a request: a grant renews. Call it after see() for the same record.
  void note_renewal(TrueTime now, const Applied& applied);
  // The run is over: an open leaderless time ends here, and is no failover.
  void finish(TrueTime now);

  // The leaderless times that the last see() or finish() ended.
  const std::vector<LeaderlessTime>& ended() const { return ended_; }
  std::uint64_t false_failovers() const { return false_failovers_; }

 private:
  struct Reason {
    FaultCause why = FaultCause::other;
    TrueTime since;  // the start of the failover
    bool spurious = false;
    bool passed_on = false;  // it was handed on to the next node
    std::uint64_t fault = 0;
  };
  // The last time that the store granted something to the latest life of a node.
  struct Renewal {
    Incarnation who;
    TrueTime at;
  };
  // A leaderless time that a turn has ended, and what is needed if the turn turns out to be none.
  struct Unsettled {
    LeaderlessTime time;
    TrueTime failover_since;
    bool passed_on = false;
  };
  static constexpr Duration kLeastTurn = Duration::seconds(1);
  static constexpr Duration kMostGap = Duration::millis(100);

  void follow(TrueTime now);
  void gained(const LeadershipChange& change);
  void settle();
  bool turn_goes_on(TrueTime now) const;
  bool is_short_turn(TrueTime now) const;
  void note_beliefs();
  void renewed(TrueTime now, Incarnation who);
  Reason reason_of(TrueTime now, const LeadershipChange& lost) const;
  Reason since_loss(FaultCause why, const LeadershipChange& lost) const;
  Reason blame(const LeadershipChange& lost) const;

  bool has_store_;
  bool hands_on_;  // a leader that steps down gives up nothing: it is another's turn
  const LeadershipTracker& leadership_;
  FaultTracker faults_;
  std::map<NodeId, Renewal> renewals_;  // of nodes that were ever granted anything
  std::size_t leaders_ = 0;
  bool leaderless_ = true;
  LeaderlessTime current_;
  TrueTime failover_since_;
  bool passed_on_ = false;
  std::vector<Unsettled> unsettled_;  // of the turn that goes on, until it has lasted
  bool has_led_ = false;
  TrueTime turn_since_;
  TrueTime gained_at_;               // its last leadership
  std::optional<Token> last_token_;  // of the last belief that began
  bool next_token_ = false;          // and it had the next number
  Incarnation last_leader_;
  std::vector<LeaderlessTime> ended_;
  std::uint64_t false_failovers_ = 0;
};

}  // namespace tenure::sim
