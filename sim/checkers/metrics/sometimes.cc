#include "sim/checkers/metrics/sometimes.h"

#include <algorithm>

#include "core/base/check.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/stores/schedule_table/requests.h"

namespace tenure::sim {

void SometimesCounter::see(TrueTime, const Record& record) {
  if (holder_.see(record)) ++grants_lacked_;
  if (const auto* landed = std::get_if<WorkArrived>(&record)) {
    if (landed->landing == DeliveryOutcome::fenced) ++work_fenced_;
    const bool again =
        landed->landing == DeliveryOutcome::running || landed->landing == DeliveryOutcome::duplicate;
    if (again) ++duplicates_refused_;
  } else if (const auto* sent = std::get_if<DeliveryArrived>(&record)) {
    if (sent->landing == DeliveryOutcome::fenced) ++work_fenced_;
    if (sent->landing == DeliveryOutcome::running || sent->landing == DeliveryOutcome::duplicate)
      ++duplicates_refused_;
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    if (ended->ending == Ending::stopped) ++work_stopped_;
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    take_applied(*applied);
  } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
    if (waiting_.size() >= kWaiting) waiting_.erase(waiting_.begin());
    waiting_.push_back({submitted->id, submitted->submission.deadline});
  } else if (const auto* noted = std::get_if<Noted>(&record)) {
    if (std::holds_alternative<ClockAlarm>(noted->note)) ++clock_alarms_;
  } else if (std::holds_alternative<FaultSkipped>(record)) {
    ++faults_skipped_;
  } else if (std::holds_alternative<StoreReplicaStalled>(record)) {
    replica_lacks_ = grants_lacked_ = returns_lacked_ = 0;
    claimed_unseen_.emplace();
  } else if (std::holds_alternative<StoreFailedOver>(record)) {
    commits_lost_ += replica_lacks_;
    grants_lost_ += grants_lacked_;
    returns_lost_ += returns_lacked_;
    claimed_unseen_.reset();
  }
}

void SometimesCounter::take_applied(const Applied& applied) {
  if (is_late(applied)) ++late_executions_;
  for_each_covered(applied, [this](const reference::LedgerRow&) { ++replica_lacks_; });
  if (reference_reply<reference::Committed>(applied.reply) != nullptr)
    return;  // the fire path has nothing for us
  if (const auto* states = reference_reply<reference::ExecutionStates>(applied.reply))
    executions_refused_ += static_cast<std::uint64_t>(
        std::count_if(states->executions.begin(), states->executions.end(),
                      [](const auto& each) { return each.standing == reference::Standing::reissued; }));
  take_workers(applied);
  const bool edited = reference_reply<reference::Edited>(applied.reply) != nullptr ||
                      message_as<schedule_table::Reply>(applied.reply) != nullptr;
  // Request 0 is the scenario's own, which puts its schedules in place before the run.
  if (edited && applied.who.node == kClientNode && applied.id.counter != 0) {
    ++edits_applied_;
    ++replica_lacks_;
  }
  if (reference_reply<reference::Released>(applied.reply) != nullptr) ++graceful_releases_;
  if (const auto* hold = reference_reply<reference::HoldSet>(applied.reply)) {
    if (hold->hold && reference_request<reference::SetHold>(applied.request) != nullptr) ++holds_set_;
  }
  if (const auto* refused = reference_reply<reference::Refused>(applied.reply)) {
    if (refused->why == reference::Denial::clock_stepped) ++leases_rebased_;
  }
}

// An attempt is given back once, however often its worker says so.
void SometimesCounter::take_workers(const Applied& applied) {
  const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied.reply);
  if (claimed != nullptr && claimed_unseen_)
    for (const reference::Execution& each : claimed->executions)
      claimed_unseen_->insert(attempt_of(each.token));
  if (reference_request<reference::ReleaseExecutions>(applied.request) == nullptr) return;
  for_each_end(applied, [this](const reference::ExecutionToken& token, reference::Standing now) {
    const bool is_new = now == reference::Standing::released && given_back_.insert(attempt_of(token)).second;
    if (is_new && claimed_unseen_ && !claimed_unseen_->contains(attempt_of(token))) ++returns_lacked_;
  });
}

// Executed after its sender had stopped waiting for it: an unknown outcome that came true.
bool SometimesCounter::is_late(const Applied& applied) {
  const auto it = std::find_if(waiting_.rbegin(), waiting_.rend(),
                               [&applied](const Waiting& waiting) { return waiting.id == applied.id; });
  if (it == waiting_.rend()) return false;
  const MonoTime deadline = it->deadline;
  waiting_.erase(std::next(it).base());
  return view_.mono_now(applied.who.node) >= deadline;
}

std::uint64_t SometimesCounter::count(std::string_view name, const Metrics& metrics) const {
  if (name == "failover") return metrics.failovers;
  if (name == "false-failover") return metrics.false_failovers;
  if (name == "stale-write-rejected") return metrics.stale_writes_rejected;
  if (name == "believer-overlap") return metrics.believer_overlaps;
  if (name == "work-overlap") return metrics.work_overlaps;
  if (name == "skipped-slot") return metrics.skipped_slots;
  if (name == "segment-drained") return metrics.drained_segments;
  if (name == "fire") return metrics.fires;
  if (name == "fault-skipped") return faults_skipped_;
  if (name == "clock-alarm") return clock_alarms_;
  if (name == "hold-set") return holds_set_;
  if (name == "work-fenced") return work_fenced_;
  if (name == "duplicate-refused") return duplicates_refused_;
  if (name == "work-stopped") return work_stopped_;
  if (name == "graceful-release") return graceful_releases_;
  if (name == "lease-rebased") return leases_rebased_;
  if (name == "edit-applied") return edits_applied_;
  if (name == "commit-lost") return commits_lost_;
  if (name == "grant-lost") return grants_lost_;
  if (name == "late-execution") return late_executions_;
  if (name == "execution-refused") return executions_refused_;
  if (name == "execution-released") return given_back_.size();
  if (name == "return-lost") return returns_lost_;
  CHECK(false, "the scenario names events of sim/scenario/names.h");
}

}  // namespace tenure::sim
