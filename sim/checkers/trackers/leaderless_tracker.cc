#include "sim/checkers/trackers/leaderless_tracker.h"

#include <algorithm>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

using Cause = LeadershipChange::Cause;

LeaderlessTracker::LeaderlessTracker(const Scenario& scenario, const LeadershipTracker& leadership)
    : has_store_(scenario.protocol->store != nullptr),
      hands_on_(scenario.protocol->goes_round || !has_store_),
      leadership_(leadership) {}

void LeaderlessTracker::see(TrueTime now, const Record& record) {
  ended_.clear();
  faults_.see(now, record);
  note_beliefs();
  if (!leadership_.changes().empty()) follow(now);
  const auto* died = std::get_if<NodeDied>(&record);
  // The node that led last stepped down because it was asked to stop: only its death tells.
  if (died != nullptr && died->how != Death::exited && leaderless_ && died->who == last_leader_ &&
      current_.why == FaultCause::other && (died->how == Death::stopped || !faults_.kills_at(now))) {
    current_.why = FaultCause::deploy;
  }
}

void LeaderlessTracker::finish(TrueTime now) {
  ended_.clear();
  follow(now);
  if (leaderless_ && is_short_turn(now)) {
    current_ = unsettled_.front().time;
    current_.failover.reset();
    current_.ended_by.reset();
  } else {
    settle();
  }
  if (!leaderless_) return;
  current_.to = now;
  ended_.push_back(current_);
}

void LeaderlessTracker::settle() {
  for (const Unsettled& each : unsettled_) ended_.push_back(each.time);
  unsettled_.clear();
}

// REQUIRES: nobody has led since current_.from.
bool LeaderlessTracker::turn_goes_on(TrueTime now) const {
  return has_led_ && now - current_.from <= std::min(kMostGap, current_.from - gained_at_);
}

bool LeaderlessTracker::is_short_turn(TrueTime now) const {
  return !unsettled_.empty() && !turn_goes_on(now) && current_.from - turn_since_ < kLeastTurn;
}

void LeaderlessTracker::note_beliefs() {
  for (const BeliefChange& change : leadership_.beliefs().changes()) {
    if (change.what == BeliefChange::What::extended) renewed(change.at, change.belief.who);
    if (change.what != BeliefChange::What::began) continue;
    const std::optional<Token>& token = change.belief.token;
    next_token_ = token && last_token_ && token->branch == last_token_->branch &&
                  token->epoch == last_token_->epoch + 1;
    last_token_ = token;
  }
}

void LeaderlessTracker::follow(TrueTime now) {
  for (const LeadershipChange& change : leadership_.changes()) {
    if (change.gained) {
      if (leaders_++ == 0) gained(change);
      continue;
    }
    const Reason reason = reason_of(now, change);
    if (reason.spurious) ++false_failovers_;
    if (--leaders_ > 0) continue;
    const bool by_itself = reason.why == FaultCause::other;
    if (change.at - turn_since_ >= kLeastTurn || !by_itself) settle();
    leaderless_ = true;
    current_ = LeaderlessTime{reason.why, change.at,    change.at,   std::nullopt,
                              change.who, std::nullopt, reason.fault};
    failover_since_ = reason.since;
    passed_on_ = reason.passed_on;
    last_leader_ = change.who;
  }
}

void LeaderlessTracker::gained(const LeadershipChange& change) {
  if (!has_store_) faults_.forget(change.at);
  const bool goes_on = turn_goes_on(change.at);
  if (is_short_turn(change.at)) {
    const Unsettled& first = unsettled_.front();
    current_ = first.time;
    current_.failover.reset();
    failover_since_ = first.failover_since;
    passed_on_ = first.passed_on;
    unsettled_.clear();
  } else if (!goes_on) {
    settle();
  }
  if (!goes_on) turn_since_ = change.at;
  has_led_ = true;
  gained_at_ = change.at;
  current_.to = change.at;
  current_.ended_by = change.who;
  const bool from_fault = current_.why != FaultCause::start && current_.why != FaultCause::other;
  const bool handed_on = passed_on_ && next_token_;
  if (from_fault && !handed_on && change.cause == Cause::believed)
    current_.failover = change.at - failover_since_;
  unsettled_.push_back({current_, failover_since_, passed_on_});
  leaderless_ = false;
}

// The store has renewed it by then; the node may not know.
void LeaderlessTracker::note_renewal(TrueTime now, const Applied& applied) {
  if (grants_leadership(applied)) renewed(now, applied.who);
}

void LeaderlessTracker::renewed(TrueTime now, Incarnation who) {
  renewals_[who.node] = {who, now};
  // Whoever loses the leadership next was renewed no earlier.
  if (leaders_ == 1 && leadership_.leads(who)) faults_.forget(now);
}

LeaderlessTracker::Reason LeaderlessTracker::reason_of(TrueTime now, const LeadershipChange& lost) const {
  switch (lost.cause) {
    case Cause::paused: return since_loss(FaultCause::pause, lost);
    case Cause::stopped: return since_loss(FaultCause::deploy, lost);
    case Cause::killed:
      // A kill that no fault made now is that of a stop whose grace ran out.
      return since_loss(faults_.kills_at(now) ? FaultCause::crash : FaultCause::deploy, lost);
    case Cause::believed:
    case Cause::resumed:
    case Cause::reached:
    case Cause::stepped_down: break;
  }
  return blame(lost);
}

// A fault did it, then and there.
LeaderlessTracker::Reason LeaderlessTracker::since_loss(FaultCause why, const LeadershipChange& lost) const {
  return {why, lost.at, false, false, faults_.at_work(why, lost.who.node, lost.at)};
}

// The node ran, and yet its leadership ended.
LeaderlessTracker::Reason LeaderlessTracker::blame(const LeadershipChange& lost) const {
  const bool stepped_down = lost.cause == Cause::stepped_down;
  const bool passed_on = stepped_down && hands_on_;
  const auto renewal = renewals_.find(lost.who.node);
  const bool is_its_own = renewal != renewals_.end() && renewal->second.who == lost.who;
  const TrueTime renewed = is_its_own ? std::min(renewal->second.at, lost.at) : lost.since;
  const FaultTracker::Fault* fault =
      faults_.behind({lost.who.node, renewed, lost.at, stepped_down, has_store_});
  if (fault == nullptr) return {FaultCause::other, lost.at, !passed_on, passed_on, 0};
  const FaultCause why = fault->harm.cause;
  const bool excused = why == FaultCause::deploy || why == FaultCause::pause || fault->cuts();
  // It led before the pause, though it is counted as a leader anew from its end.
  const bool older = fault->began < lost.since && why != FaultCause::pause;
  const TrueTime since = why == FaultCause::deploy || older ? lost.at : fault->began;
  return {why, since, !passed_on && !excused, passed_on, fault->id};
}

}  // namespace tenure::sim
