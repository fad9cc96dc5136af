#include "sim/checkers/metrics/metrics.h"

#include <algorithm>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/stores/statements/requests.h"

namespace tenure::sim {

MetricsCollector::MetricsCollector(const CheckerSetup& setup)
    : run_(*setup.history),
      view_(setup.view),
      epochs_from_store_(offers(setup.scenario.protocol->store, &StoreKind::issues_tokens)),
      has_ledger_(keeps_ledger(setup.scenario)),
      leaderless_(setup.scenario, run_.leadership()),
      use_(setup.scenario.work.program.warmup),
      strips_(setup.scenario) {}

void MetricsCollector::see(TrueTime now, const Record& record) {
  history_.see(record);
  if (const auto* sent = std::get_if<DeliveryArrived>(&record)) {
    if (sent->landing == DeliveryOutcome::fenced) ++metrics_.stale_writes_rejected;
    take_beginning(now, sent->who, sent->item, sent->store_now);
  } else if (const auto* answered = std::get_if<DeliveryEnded>(&record)) {
    take_ending(answered->ending);
  } else if (const auto* worked = std::get_if<WorkerExecution>(&record)) {
    const reference::EventId& event = worked->token.event;
    if (worked->ending)
      take_ending(*worked->ending);
    else if (!run_.begun().contains(event) && worked_.add(event, run_.schedules()))
      take_fire(now, worked->who, event, due(run_.schedules(), event), view_.store_now({}));
  } else if (const auto* written = std::get_if<WriteLanded>(&record)) {
    if (written->fenced) ++metrics_.stale_writes_rejected;
  } else if (const auto* landed = std::get_if<WorkArrived>(&record)) {
    take_arrived(now, *landed);
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    take_ending(ended->ending);
    if (run_.work().changed()) workers_.set(now, run_.work().crowded());
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    take_applied(*applied);
    take_history();
  }
  if (!is_act(record) || !run_.beliefs().changes().empty()) take_leadership(now, record);
  if (const auto* applied = std::get_if<Applied>(&record)) leaderless_.note_renewal(now, *applied);
}

void MetricsCollector::take_leadership(TrueTime now, const Record& record) {
  leaderless_.see(now, record);
  use_.see(run_.leadership().changes());
  follow_leadership();
  follow_beliefs();
  follow_pauses(now, record);
  strips_.see(now, record, run_.leadership());
  if (const auto* noted = std::get_if<Noted>(&record)) {
    const auto* believes = std::get_if<Believes>(&noted->note);
    if (believes != nullptr && believes->token && !epochs_from_store_)
      count_epoch(believes->resource, *believes->token);
  }
}

void MetricsCollector::finish(TrueTime now) {
  leaderless_.finish(now);
  use_.see(run_.leadership().changes());
  use_.finish(now);
  metrics_.useless = now - TrueTime{} - use_.of_use();
  follow_leadership();
  follow_beliefs();
  believers_.finish(now);
  acting_.finish(now);
  workers_.finish(now);
  strips_.finish(now, run_.leadership());
  take_history();
  metrics_.false_failovers = leaderless_.false_failovers();
  metrics_.believer_overlap = believers_.sum;
  metrics_.believer_overlap_longest = believers_.longest;
  metrics_.believer_overlaps = believers_.count;
  metrics_.acting_overlap = acting_.sum;
  metrics_.acting_overlap_longest = acting_.longest;
  metrics_.work_overlap = workers_.sum;
  metrics_.work_overlaps = workers_.count;
  metrics_.worst_believer_overlap = believers_.worst;
  metrics_.worst_work_overlap = workers_.worst;
  std::stable_sort(by_cause_.begin(), by_cause_.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [trouble, length] : by_cause_)
    metrics_.leaderless_by_cause.emplace_back(name_of(trouble), length);
}

bool MetricsCollector::Overlap::is_over(TrueTime now) const {
  return !since || (until && (now - *until) * 10 > *until - *since);
}

void MetricsCollector::Overlap::set(TrueTime now, bool overlapping) {
  if (overlapping == (since && !until)) return;
  if (!overlapping) {
    until = now;
    return;
  }
  if (is_over(now)) {
    settle();
    since = now;
  }
  until.reset();
}

void MetricsCollector::Overlap::finish(TrueTime now) {
  set(now, false);
  settle();
}

void MetricsCollector::Overlap::settle() {
  if (!since) return;
  const Duration length = *until - *since;
  if (length > Duration{}) ++count;
  sum += length;
  if (!worst || length > longest) worst = WorstMoment{length, *since, *until, who, next, {}, 0};
  longest = std::max(longest, length);
  since.reset();
  until.reset();
}

void MetricsCollector::follow_leadership() {
  for (const LeaderlessTime& time : leaderless_.ended()) {
    const Duration length = time.to - time.from;
    if (time.failover) {
      ++metrics_.failovers;
      metrics_.failover.add(*time.failover);
      if (!metrics_.worst_failover || *time.failover > metrics_.worst_failover->value)
        metrics_.worst_failover = WorstMoment{
            *time.failover, time.to - *time.failover, time.to, time.lost_by, time.ended_by, {}, time.fault};
    }
    if (length <= Duration{}) continue;
    if (!metrics_.worst_leaderless || length > metrics_.worst_leaderless->value)
      metrics_.worst_leaderless =
          WorstMoment{length, time.from, time.to, time.lost_by, time.ended_by, {}, time.fault};
    metrics_.leaderless += length;
    const auto it = std::find_if(by_cause_.begin(), by_cause_.end(),
                                 [&time](const auto& cause) { return cause.first == time.why; });
    if (it == by_cause_.end()) {
      by_cause_.emplace_back(time.why, length);
    } else {
      it->second += length;
    }
  }
}

void MetricsCollector::follow_beliefs() {
  for (const BeliefChange& change : run_.beliefs().changes()) {
    const Believer believer{change.belief.resource, change.belief.who, change.at};
    if (change.what == BeliefChange::What::began) belief_began(believer);
    if (change.what == BeliefChange::What::ended) {
      const bool open = std::holds_alternative<Open>(change.belief.until);
      belief_ended(believer, change.how == BeliefChange::Ending::reached ||
                                 (open && change.how == BeliefChange::Ending::stepped_down));
    }
  }
}

void MetricsCollector::belief_began(const Believer& fresh) {
  const auto last = std::find_if(ended_.begin(), ended_.end(),
                                 [&fresh](const Believer& each) { return each.resource == fresh.resource; });
  const auto other = std::find_if(believing_.begin(), believing_.end(),
                                  [&fresh](const Believer& each) { return each.resource == fresh.resource; });
  const bool alone = other == believing_.end();
  if (last != ended_.end()) {
    if (alone && last->who != fresh.who) margin(last->at, last->who, fresh.at, fresh.who);
    ended_.erase(last);
  }
  if (!alone && believers_.is_over(fresh.at)) {
    believers_.who = other->who;
    believers_.next = fresh.who;
  }
  believing_.push_back(fresh);
  if (!alone) believers_.set(fresh.at, true);
  acting_.set(fresh.at, two_act());
}

void MetricsCollector::belief_ended(const Believer& ended, bool by_the_clock) {
  const auto same = [&ended](const Believer& other) {
    return other.resource == ended.resource && other.who == ended.who;
  };
  const auto began = std::find_if(believing_.begin(), believing_.end(), same);
  if (began == believing_.end()) return;
  const TrueTime since = began->at;
  believing_.erase(began);
  bool crowded = false;
  for (const Believer& other : believing_) {
    if (other.resource == ended.resource) margin(ended.at, ended.who, std::max(since, other.at), other.who);
    for (const Believer& third : believing_) {
      crowded = crowded || (third.resource == other.resource && third.who != other.who);
    }
  }
  believers_.set(ended.at, crowded);
  acting_.set(ended.at, two_act());
  // Also one that was given up: what follows it does not follow what ended before it.
  std::erase_if(ended_, [&ended](const Believer& each) { return each.resource == ended.resource; });
  if (by_the_clock) ended_.push_back(ended);
}

// After the beliefs: those that ended did so before the record came.
void MetricsCollector::follow_pauses(TrueTime now, const Record& record) {
  if (const auto* paused = std::get_if<NodePaused>(&record))
    paused_.push_back(paused->who.node);
  else if (const auto* resumed = std::get_if<NodeResumed>(&record))
    std::erase(paused_, resumed->who.node);
  else if (const auto* died = std::get_if<NodeDied>(&record))
    std::erase(paused_, died->who.node);
  else
    return;
  acting_.set(now, two_act());
}

bool MetricsCollector::two_act() const {
  const auto acts = [this](const Believer& believer) {
    return std::find(paused_.begin(), paused_.end(), believer.who.node) == paused_.end();
  };
  for (const Believer& one : believing_)
    for (const Believer& other : believing_)
      if (one.resource == other.resource && one.who != other.who && acts(one) && acts(other)) return true;
  return false;
}

void MetricsCollector::margin(TrueTime end, Incarnation who, TrueTime begin, Incarnation next) {
  const Duration gap = begin - end;
  if (metrics_.safety_margin && gap >= *metrics_.safety_margin) return;
  metrics_.safety_margin = gap;
  metrics_.worst_safety_margin =
      WorstMoment{gap, std::min(begin, end), std::max(begin, end), who, next, {}, 0};
}

void MetricsCollector::take_applied(const Applied& applied) {
  if (is_instance(applied.who.node)) ++metrics_.store_requests;
  if (const auto* own = message_as<statements::Reply>(applied.reply))
    if (std::holds_alternative<statements::SqlFailed>(*own) && metrics_.statements_failed++ == 0)
      metrics_.first_failed_statement = describe(applied.reply) + ": " + describe(applied.request);
  const ScheduleTracker::Change& change = run_.edit();
  if (change.what == ScheduleTracker::Edit::deleted &&
      std::holds_alternative<reference::Request>(applied.request))
    take_deleted(change);
  for (const auto& [row, version, covered_until] : run_.rows()) {
    if (version == nullptr) continue;
    if (version->end != StoreTime::max() && version->slots.count(covered_until, version->end) == 0)
      ++history_->drained_segments;
    if (row.what != reference::Disposition::fired) {
      history_->skipped_slots += not_begun(*version, row.from, row.to);
    } else if (row.slots > 1) {
      history_->skipped_slots +=
          not_begun(*version, row.from, row.slot) + not_begun(*version, row.slot + kStoreResolution, row.to);
    }
  }
  const auto* given_up = reference_request<reference::GiveUpEvents>(applied.request);
  if (given_up != nullptr && reference_reply<reference::GivenUp>(applied.reply) != nullptr)
    metrics_.work_dead += given_up->events.size();
  for_each_end(applied, [this](const reference::ExecutionToken&, reference::Standing how) {
    if (how == reference::Standing::dead) ++metrics_.work_dead;
  });
  if (const auto* refused = reference_reply<reference::CommitRefused>(applied.reply)) {
    if (!refused->held) ++metrics_.stale_writes_rejected;
  } else if (reference_reply<reference::Refused>(applied.reply) != nullptr) {
    if (token_shown(applied.request)) ++metrics_.stale_writes_rejected;
  } else if (const auto* granted = reference_reply<reference::Granted>(applied.reply)) {
    if (epochs_from_store_) count_epoch(resource_of(applied.request), granted->token);
  }
}

// The store writes off what was still due.
void MetricsCollector::take_deleted(const ScheduleTracker::Change& change) {
  for (const ScheduleVersion& version : run_.schedules().versions(change.schedule))
    if (version.index >= change.first_deleted)
      history_->skipped_slots += not_begun(version, version.covered_until, version.end);
}

std::uint64_t MetricsCollector::not_begun(const ScheduleVersion& version, StoreTime from,
                                          StoreTime to) const {
  const std::uint64_t all = version.slots.count(from, to);
  const SlotSet* begun = all > 0 ? run_.begun().slots_of(version.schedule) : nullptr;
  return begun != nullptr ? all - begun->count(from, to, version.slots) : all;
}

void MetricsCollector::take_history() {
  metrics_.skipped_slots = history_->skipped_slots;
  metrics_.drained_segments = history_->drained_segments;
}

void MetricsCollector::take_arrived(TrueTime now, const WorkArrived& landed) {
  if (landed.landing == DeliveryOutcome::fenced) ++metrics_.stale_writes_rejected;
  if (landed.landing != DeliveryOutcome::begun) return;
  take_beginning(now, landed.who, landed.item, landed.store_now);
  if (!run_.work().changed()) return;
  if (workers_.is_over(now)) {
    workers_.next = landed.who;
    for (const Worker& worker : run_.work().workers(landed.item.resource))
      if (worker.who != landed.who) workers_.who = worker.who;
  }
  workers_.set(now, run_.work().crowded());
}

void MetricsCollector::take_ending(Ending ending) {
  if (ending == Ending::failed) ++metrics_.work_failed;
  if (ending == Ending::stopped || ending == Ending::died) ++metrics_.work_stopped;
}

void MetricsCollector::take_beginning(TrueTime now, Incarnation who, const WorkItem& item,
                                      StoreTime store_now) {
  if (run_.begins() && !worked_.contains(item.event)) take_fire(now, who, item.event, due(item), store_now);
}

void MetricsCollector::take_fire(TrueTime now, Incarnation who, const reference::EventId& event,
                                 StoreTime due, StoreTime store_now) {
  ++metrics_.fires;
  if (event.run != 0) return;
  const Duration late = store_now - due;
  metrics_.fire_lateness.add(late);
  if (!metrics_.worst_fire_lateness || late > metrics_.worst_fire_lateness->value)
    metrics_.worst_fire_lateness = WorstMoment{late, now - late, now, who, std::nullopt, event, 0};
}

StoreTime MetricsCollector::due(const WorkItem& item) const {
  return due(run_.store().known_under(item.token).tracker, item.event);
}

// Only who keeps a ledger knows of jitter.
StoreTime MetricsCollector::due(const ScheduleTracker& tracker, const reference::EventId& event) const {
  return has_ledger_ ? tracker.due(event) : event.slot;
}

void MetricsCollector::count_epoch(ResourceId resource, const Token& token) {
  const auto [newest, is_new] = newest_.try_emplace(resource, token);
  if (!is_new && newest->second == token) return;
  ++metrics_.epochs;
  newest->second = token;
}

}  // namespace tenure::sim
