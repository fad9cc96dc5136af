#include "sim/checkers/trackers/run_history.h"

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {

RunHistory::RunHistory(const Scenario& scenario, const View& view, NodeNames nodes, Scope scope)
    : names_(scenario, nodes),
      has_fires_(scenario.scheduler != nullptr || scope == Scope::journals),
      has_ledger_(keeps_ledger(scenario)),
      follows_work_(has_fires_ && scope == Scope::all),
      leadership_(view),
      clock_(view, kLongestGrace + clock_hold_of(scenario)),
      workers_(scenario, worst_commit_wait(scenario) + kLongestGrace),
      deliveries_(work_attempts_of(scenario)),
      busy_(scenario),
      order_(hears_within(scenario)),
      turns_(scenario),
      executions_(RoutedSchedules(scenario), rules_),
      after_(executions_) {}

void RunHistory::see(TrueTime now, const Record& record) {
  leadership_.see(now, record);
  if (!has_fires_) return;
  work_.see(now, record);
  edit_ = {};
  rows_.clear();
  runs_asked_for_ = 0;
  store_.see(record);
  unread_.see(record);
  rules_.see(record);
  if (follows_work_) {
    clock_.see(now, record);
    workers_.see(now, record);
    deliveries_.see(record);
    if (has_ledger_) busy_.see(now, record);
  }
  outbox_.see(now, record, rules_);
  if (const auto* asked = std::get_if<WorkAsked>(&record)) {
    store_->pending.asked(asked->item.event);
  } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
    if (landed->landing == DeliveryOutcome::begun) begun(now, landed->item);
  } else if (const auto* sent = std::get_if<DeliveryLanded>(&record)) {
    if (sent->landing == DeliveryOutcome::begun) begun_.add(sent->item.event, store_->tracker);
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    take(now, *applied);
  } else if (std::holds_alternative<Healed>(record)) {
    healed_ = true;
  }
}

void RunHistory::finish(TrueTime now) {
  leadership_.advance(now);
  clock_.advance(now);
  busy_.advance();
}

void RunHistory::begun(TrueTime now, const WorkItem& item) {
  begun_.add(item.event, store_->tracker);
  const bool is_fire = store_->pending.begun(now, item.event) && item.event.run == 0;
  if (healed_) turns_.began(now, is_fire);
}

void RunHistory::take(TrueTime now, const Applied& applied) {
  edit_ = store_->tracker.see(applied);
  take_rows(now, applied);
  take_events(now, applied.who);
  const auto* claim = reference_request<reference::ClaimExecutions>(applied.request);
  if (claim != nullptr && follows_work_) executions_.begin_claim(now, *claim, applied.store_now);
}

void RunHistory::take_rows(TrueTime now, const Applied& applied) {
  std::int64_t fires = 0;
  for_each_covered(applied, [&](const reference::LedgerRow& row) {
    const ScheduleVersion* version = store_->tracker.cover(row);
    rows_.push_back({row, version, version != nullptr ? version->covered_until : StoreTime{}});
    if (healed_ && version != nullptr) order_.covered(now, *version, row);
    if (row.what == reference::Disposition::fired) ++fires;
  });
  if (healed_ && !rows_.empty())
    turns_.see(now, static_cast<std::int64_t>(rows_.size()), fires, workers_.at_work_before(applied));
}

void RunHistory::take_events(TrueTime now, Incarnation who) {
  for (const auto& [event, version] : rules_.came()) {
    store_->committed.add(event, store_->tracker);
    if (!follows_work_) continue;
    const bool is_run = event.run != 0;
    if (!is_run && store_.may_lose()) busy_.commits_again(event.schedule, now);
    if (rules_.find(event) != nullptr || (is_run && healed_)) continue;  // runs are not owed then
    const std::size_t before = store_->pending.size();
    const bool is_known = is_run || store_->tracker.find(event.schedule, version) != nullptr;
    store_->pending.add({.event = event, .who = who, .at = now, .is_known = is_known});
    if (is_run) runs_asked_for_ += store_->pending.size() - before;
  }
}

}  // namespace tenure::sim
