#include "sim/checkers/metrics/sometimes.h"

#include <algorithm>

#include "sim/checkers/trackers/applied.h"
#include "sim/stores/schedule_table/requests.h"

namespace tenure::sim {

void SometimesCounter::see(TrueTime, const Record& record) {
  if (holder_.see(record)) ++grants_lacked_;
  if (const auto* landed = std::get_if<WorkArrived>(&record)) {
    if (landed->landing == DeliveryOutcome::fenced) ++counts_["work-fenced"];
    const bool again =
        landed->landing == DeliveryOutcome::running || landed->landing == DeliveryOutcome::duplicate;
    if (again) ++counts_["duplicate-refused"];
  } else if (const auto* sent = std::get_if<DeliveryArrived>(&record)) {
    if (sent->landing == DeliveryOutcome::fenced) ++counts_["work-fenced"];
    if (sent->landing == DeliveryOutcome::running || sent->landing == DeliveryOutcome::duplicate)
      ++counts_["duplicate-refused"];
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    if (ended->ending == Ending::stopped) ++counts_["work-stopped"];
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    take_applied(*applied);
  } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
    if (waiting_.size() >= kWaiting) waiting_.erase(waiting_.begin());
    waiting_.push_back({submitted->id, submitted->submission.deadline});
  } else if (const auto* noted = std::get_if<Noted>(&record)) {
    if (std::holds_alternative<ClockAlarm>(noted->note)) ++counts_["clock-alarm"];
  } else if (std::holds_alternative<FaultSkipped>(record)) {
    ++counts_["fault-skipped"];
  } else if (std::holds_alternative<StoreReplicaStalled>(record)) {
    replica_lacks_ = grants_lacked_ = returns_lacked_ = 0;
    claimed_unseen_.emplace();
  } else if (std::holds_alternative<StoreFailedOver>(record)) {
    counts_["commit-lost"] += replica_lacks_;
    counts_["grant-lost"] += grants_lacked_;
    counts_["return-lost"] += returns_lacked_;
    claimed_unseen_.reset();
  }
}

void SometimesCounter::take_applied(const Applied& applied) {
  if (is_late(applied)) ++counts_["late-execution"];
  for_each_covered(applied, [this](const reference::LedgerRow&) { ++replica_lacks_; });
  if (reference_reply<reference::Committed>(applied.reply) != nullptr)
    return;  // the fire path has nothing for us
  if (const auto* states = reference_reply<reference::ExecutionStates>(applied.reply))
    counts_["execution-refused"] += static_cast<std::uint64_t>(
        std::count_if(states->executions.begin(), states->executions.end(),
                      [](const auto& each) { return each.standing == reference::Standing::reissued; }));
  take_workers(applied);
  const bool edited = reference_reply<reference::Edited>(applied.reply) != nullptr ||
                      message_as<schedule_table::Reply>(applied.reply) != nullptr;
  // Request 0 is the scenario's own, which puts its schedules in place before the run.
  if (edited && applied.who.node == kClientNode && applied.id.counter != 0) {
    ++counts_["edit-applied"];
    ++replica_lacks_;
  }
  if (reference_reply<reference::Released>(applied.reply) != nullptr) ++counts_["graceful-release"];
  if (const auto* hold = reference_reply<reference::HoldSet>(applied.reply)) {
    if (hold->hold && reference_request<reference::SetHold>(applied.request) != nullptr)
      ++counts_["hold-set"];
  }
  if (const auto* refused = reference_reply<reference::Refused>(applied.reply)) {
    if (refused->why == reference::Denial::clock_stepped) ++counts_["lease-rebased"];
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
  if (name == "execution-released") return given_back_.size();
  const auto own = counts_.find(name);
  return own != counts_.end() ? own->second : 0;
}

}  // namespace tenure::sim
