#include "sim/checkers/trackers/run_history.h"

#include <utility>

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {

RunHistory::RunHistory(const Scenario& scenario, const View& view, NodeNames nodes, Scope scope)
    : names_(scenario, nodes),
      has_fires_(scenario.scheduler != nullptr || scope == Scope::journals),
      has_ledger_(keeps_ledger(scenario)),
      follows_work_(has_fires_ && scope == Scope::all),
      pushes_(pushes_events(scenario) || scope == Scope::journals),
      leadership_(view),
      clock_(view, kLongestGrace + clock_hold_of(scenario)),
      workers_(scenario, worst_commit_wait(scenario) + kLongestGrace),
      lifecycle_(scenario, rules_, has_ledger_),
      order_(hears_within(scenario)),
      turns_(scenario),
      executions_(RoutedSchedules(scenario), rules_),
      sent_(scenario, view, rules_),
      after_(*this) {}

void RunHistory::see(TrueTime now, const Record& record) {
  leadership_.see(now, record);
  if (!has_fires_) return;
  work_.see(now, record);
  begins_ = false;
  if (std::exchange(was_applied_, false)) {
    edit_ = {};
    rows_.clear();
    came_.clear();
    left_.clear();
    runs_asked_for_ = 0;
  }
  store_.see(record);
  unread_.see(record);
  rules_.see(record);
  if (follows_work_) {
    clock_.see(now, record);
    lifecycle_.see(now, record);
    workers_.see(now, record, lifecycle_);
  }
  if (const auto* asked = std::get_if<WorkAsked>(&record)) {
    const bool again = store_->events.asked(asked->item.event);
    if (healed_) turns_.asked(now, again);
  } else if (const auto* landed = std::get_if<WorkArrived>(&record)) {
    if (landed->landing == DeliveryOutcome::begun) begun(now, landed->item);
  } else if (const auto* sent = std::get_if<DeliveryArrived>(&record)) {
    if (sent->landing == DeliveryOutcome::begun) begins_ = begun_.add(sent->item.event, store_->tracker);
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    take(now, *applied);
  } else if (std::holds_alternative<Healed>(record)) {
    healed_ = true;
  }
}

void RunHistory::finish(TrueTime now) {
  leadership_.advance(now);
  clock_.advance(now);
  lifecycle_.advance();
}

void RunHistory::begun(TrueTime now, const WorkItem& item) {
  begins_ = begun_.add(item.event, store_->tracker);
  const bool is_fire = store_->events.begun(now, item.event) && item.event.run == 0;
  if (healed_) turns_.began(now, is_fire);
}

void RunHistory::take(TrueTime now, const Applied& applied) {
  was_applied_ = true;
  edit_ = store_->tracker.see(applied);
  take_rows(now, applied);
  take_events(now, applied.who);
  const auto take = [this](const reference::EventId& event) { take_from_outbox(event); };
  for_each_taken(applied, rules_, take);
  for_each_executed(applied, take);
  if (!follows_work_) return;
  const auto* claim = reference_request<reference::ClaimExecutions>(applied.request);
  if (claim != nullptr) executions_.begin_claim(now, *claim, applied.store_now);
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
    StoredEvents& events = store_->events;
    const StoredEvent stored{.position = position_ + 1, .who = who, .at = now};
    if (events.add(event, stored)) {
      ++position_;
      came_.emplace_back(event, stored);
    }
    if (!follows_work_) continue;
    const bool is_run = event.run != 0;
    if (!is_run && store_.may_lose()) lifecycle_.commits_again(event.schedule, now);
    if (rules_.find(event) != nullptr || (is_run && healed_)) continue;  // runs are not owed then
    const std::size_t before = events.pending();
    events.pend(event, is_run || store_->tracker.find(event.schedule, version) != nullptr);
    if (is_run) runs_asked_for_ += events.pending() - before;
  }
}

void RunHistory::take_from_outbox(const reference::EventId& event) {
  if (const auto stored = store_->events.take(event)) left_.emplace_back(event, *stored);
}

}  // namespace tenure::sim
